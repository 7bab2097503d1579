#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a small language model with random weights, for llama.cpp.

  tiny_model.py FILE SEED

A transformer of llama's kind in f16, 3 MB large. The same seed gives the same file. Run by
a Python that has the gguf package (Debian's python3-gguf)."""
import sys

import gguf
import numpy

WIDTH = 256  # llama-quantize's largest block
INNER = 512
LAYERS = 2
HEADS = 4
KEY_HEADS = 2
CONTEXT = 256
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6  # kinds of tokens
WORDS = 253


def vocabulary():
    """[(text, kind)]: three special tokens, bytes for prompts, and words for answers.

    Each answer can be split into its tokens again: a word is a space and three letters."""
    special = [("<unk>", UNKNOWN), ("<s>", CONTROL), ("</s>", CONTROL)]
    raw = [("<0x%02X>" % value, BYTE) for value in range(256)]
    letters = "bdfgklmnprstvz"
    words = ["\u2581" + first + vowel + last for first in letters for vowel in "aeiou" for last in letters]
    return special + raw + [(word, NORMAL) for word in words[::len(words) // WORDS][:WORDS]]


def add_vocabulary(writer):
    tokens = vocabulary()
    writer.add_tokenizer_model("llama")
    writer.add_token_list([text for text, _ in tokens])
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types([kind for _, kind in tokens])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)


def add_shape(writer):
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(INNER)
    writer.add_block_count(LAYERS)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(vocabulary()))
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)


def matrices():
    """{name: (rows, columns)}"""
    keys = WIDTH // HEADS * KEY_HEADS
    shapes = {"token_embd": (len(vocabulary()), WIDTH), "output": (len(vocabulary()), WIDTH)}
    for layer in range(LAYERS):
        parts = {"attn_q": (WIDTH, WIDTH), "attn_k": (keys, WIDTH), "attn_v": (keys, WIDTH),
                 "attn_output": (WIDTH, WIDTH), "ffn_gate": (INNER, WIDTH), "ffn_up": (INNER, WIDTH),
                 "ffn_down": (WIDTH, INNER)}
        shapes.update({"blk.%d.%s" % (layer, part): shape for part, shape in parts.items()})
    return shapes


def scale_of(name, columns):
    """With these, what layers add to a token is four times as large as the token."""
    if name == "token_embd":
        return 0.5
    return (2 if name.endswith(("attn_output", "ffn_down")) else 1) / columns ** 0.5


def add_weights(writer, seed):
    random = numpy.random.default_rng(seed)
    for name, (rows, columns) in matrices().items():
        values = random.standard_normal((rows, columns)) * scale_of(name, columns)
        if name == "output":
            values[:rows - WORDS] = 0  # an answer is of words alone
        writer.add_tensor(name + ".weight", values.astype(numpy.float16))
    norms = ["output_norm"] + ["blk.%d.%s" % (layer, part) for layer in range(LAYERS)
                               for part in ("attn_norm", "ffn_norm")]
    for name in norms:
        writer.add_tensor(name + ".weight", numpy.ones(WIDTH, dtype=numpy.float32))


def write(path, seed):
    writer = gguf.GGUFWriter(path, "llama")
    add_shape(writer)
    add_vocabulary(writer)
    add_weights(writer, seed)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]))
