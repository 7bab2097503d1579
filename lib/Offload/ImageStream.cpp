//===- ImageStream.cpp - images of a bundle, one at a time ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bundle is streamed if it is large, its entry table is short, and its images
// have the order of their entries, as in clang's output. All others are
// decompressed as a whole, as are those with a damaged table, for which
// openContainer() has the messages.
//
//===----------------------------------------------------------------------===//
#include "Offload/ImageStream.h"

#include "BundleTable.h"
#include "CompressedBundle.h"
#include "Damaged.h"

#include "ToolSupport/Errors.h"
#include "kpack/Support/Buffer.h"
#include "kpack/Support/TargetId.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MD5.h"

#include <zstd.h>

using namespace llvm;
using namespace kpack;
using namespace kpack::offload;

ImageStream::~ImageStream() = default;

namespace {

/// The images of a container that was opened as a whole.
class OpenImages : public ImageStream {
public:
  explicit OpenImages(OpenContainer Opened) : Opened(std::move(Opened)) {}

  Expected<std::optional<StreamedImage>> next() override {
    if (Next == Opened.Images.size())
      return std::nullopt;
    DeviceImage &Image = Opened.Images[Next++];
    return StreamedImage{std::move(Image.Target), Image.Bytes, nullptr};
  }
  uint64_t consumed() const override { return 0; }

private:
  OpenContainer Opened;
  size_t Next = 0;
};

/// A reader of the plain bytes of a compressed bundle, in order.
class PlainReader {
public:
  PlainReader(const CompressedHeader &Header, StringRef Object)
      : Header(Header), Object(Object), Context(ZSTD_createDCtx()),
        In{Header.Data.data(), Header.Data.size(), 0} {}

  /// Fills \p Out. Fails if the data is damaged or ends before.
  Error read(MutableArrayRef<char> Out);
  /// Reads and drops \p Size bytes.
  Error skip(uint64_t Size);
  /// Checks that all data was read and has the hash of the header.
  Error finish();
  uint64_t position() const { return Position; }
  uint64_t consumed() const { return In.pos; }

private:
  struct ContextDeleter {
    void operator()(ZSTD_DCtx *Context) const { ZSTD_freeDCtx(Context); }
  };
  Error damaged(const Twine &What) const {
    return damagedObject(Object, "offload bundle " + What);
  }

  const CompressedHeader Header;
  const StringRef Object;
  const std::unique_ptr<ZSTD_DCtx, ContextDeleter> Context;
  ZSTD_inBuffer In;
  /// A frame has begun and not ended.
  bool IsInFrame = false;
  uint64_t Position = 0;
  MD5 Hash;
};

/// A large bundle.
class BundleStream : public ImageStream {
public:
  BundleStream(const CompressedHeader &Header, StringRef Object)
      : Header(Header), Object(Object), Reader(Header, Object) {}

  /// Reads the entries. Returns false if the bundle has to be read as a whole.
  bool begin();
  Expected<std::optional<StreamedImage>> next() override;
  uint64_t consumed() const override {
    return Header.TotalSize - Header.Data.size() + Reader.consumed();
  }

private:
  bool isInOrder() const;
  Error readAt(uint64_t Offset, MutableArrayRef<char> Out);

  const CompressedHeader Header;
  const StringRef Object;
  PlainReader Reader;
  /// The bundle's first bytes, with the table.
  SmallVector<char, 0> Start;
  BundleTable Table;
  size_t Next = 0;
  bool IsFinished = false;
};

} // namespace

static std::string getTarget(const BundleItem &Item) {
  return canonicalTarget(
      std::string_view(Item.Target.data(), Item.Target.size()));
}

Error PlainReader::read(MutableArrayRef<char> Out) {
  ZSTD_outBuffer To{Out.data(), Out.size(), 0};
  while (To.pos != To.size) {
    if (In.pos == In.size)
      return damaged("is shorter than its header says");
    size_t Left =
        Context ? ZSTD_decompressStream(Context.get(), &To, &In) : size_t(-1);
    if (ZSTD_isError(Left))
      return damaged(Twine("cannot be decompressed: ") +
                     ZSTD_getErrorName(Left));
    IsInFrame = Left != 0;
  }
  Position += Out.size();
  if (Header.Hash != 0)
    Hash.update(ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(Out.data()),
                                  Out.size()));
  return Error::success();
}

Error PlainReader::skip(uint64_t Size) {
  SmallVector<char, 0> Dropped(std::min<uint64_t>(Size, 1 << 16));
  for (; Size != 0; Size -= std::min<uint64_t>(Size, Dropped.size()))
    if (Error E = read(MutableArrayRef<char>(Dropped).take_front(Size)))
      return E;
  return Error::success();
}

Error PlainReader::finish() {
  // A checksum may be left, or an empty frame.
  while (In.pos != In.size || IsInFrame) {
    char More;
    ZSTD_outBuffer To{&More, 1, 0};
    size_t Before = In.pos;
    size_t Left = ZSTD_decompressStream(Context.get(), &To, &In);
    if (ZSTD_isError(Left) || To.pos != 0 || (Left != 0 && In.pos == Before))
      return damaged("cannot be decompressed: it does not end where its header "
                     "says");
    IsInFrame = Left != 0;
  }
  MD5::MD5Result Result;
  Hash.final(Result);
  if (Header.Hash != 0 && Result.low() != Header.Hash)
    return damaged("does not match its hash");
  return Error::success();
}

bool BundleStream::begin() {
  static constexpr uint64_t MaxTable = 1 << 20;
  for (uint64_t Size = 4096; Size <= std::min(MaxTable, Header.PlainSize);
       Size *= 2) {
    Start.resize_for_overwrite(Size);
    if (Error E = Reader.read(
            MutableArrayRef<char>(Start).drop_front(Reader.position()))) {
      consumeError(std::move(E));
      return false;
    }
    StringRef Bytes(Start.data(), Start.size());
    if (!Bytes.starts_with(BundleMagic))
      return false;
    Expected<BundleTable> Read =
        readBundleTable(Bytes, Header.PlainSize, Object);
    if (Read) {
      Table = std::move(*Read);
      return isInOrder();
    }
    consumeError(Read.takeError());
  }
  return false;
}

/// True if no entry begins before the end of an earlier one, and no two have
/// the same target.
bool BundleStream::isInOrder() const {
  uint64_t End = 0;
  StringSet<> Targets;
  for (const BundleItem &Item : Table.Items) {
    if ((Item.Size != 0 && Item.Offset < End) ||
        !Targets.insert(getTarget(Item)).second)
      return false;
    End = std::max(End, Item.Offset + Item.Size);
  }
  return true;
}

/// Fills \p Out with the bytes from \p Offset on. Of these, only bytes in Start
/// were read before.
Error BundleStream::readAt(uint64_t Offset, MutableArrayRef<char> Out) {
  if (Offset < Start.size()) {
    ArrayRef<char> Known =
        ArrayRef<char>(Start).drop_front(Offset).take_front(Out.size());
    llvm::copy(Known, Out.begin());
    Offset += Known.size();
    Out = Out.drop_front(Known.size());
  }
  if (Offset > Reader.position())
    if (Error E = Reader.skip(Offset - Reader.position()))
      return E;
  return Reader.read(Out);
}

Expected<std::optional<StreamedImage>> BundleStream::next() {
  if (Next == Table.Items.size()) {
    if (!std::exchange(IsFinished, true)) {
      if (Error E = Reader.skip(Header.PlainSize - Reader.position()))
        return std::move(E);
      if (Error E = Reader.finish())
        return std::move(E);
    }
    return std::nullopt;
  }
  const BundleItem &Item = Table.Items[Next++];
  if (Error E = checkUnpackedSize(Header, Item.Size, Object))
    return std::move(E);
  auto Bytes = std::make_shared<Buffer>();
  if (!Bytes->resize(Item.Size))
    return objectError(Object, "not enough memory for its code for " +
                                   Item.Target + " of " + Twine(Item.Size) +
                                   " bytes; close other programs");
  if (Error E = readAt(Item.Offset, {Bytes->data(), Bytes->size()}))
    return std::move(E);
  StringRef All(Bytes->data(), Bytes->size());
  return StreamedImage{getTarget(Item), All, std::move(Bytes)};
}

Expected<std::unique_ptr<ImageStream>>
ImageStream::open(const Container &C, StringRef Object, uint64_t MinSize) {
  if (C.Kind == ContainerKind::CompressedBundle && C.PlainSize >= MinSize) {
    Expected<CompressedHeader> Header = readCompressedHeader(C.Bytes, Object);
    if (!Header)
      return Header.takeError();
    if (Error E = checkPlainSize(*Header, Object))
      return std::move(E);
    auto Stream = std::make_unique<BundleStream>(*Header, Object);
    if (Header->Method == compression::Format::Zstd && Stream->begin())
      return Stream;
  }
  Expected<OpenContainer> Opened = openContainer(C, Object);
  if (!Opened)
    return Opened.takeError();
  return std::make_unique<OpenImages>(std::move(*Opened));
}

Error offload::forEachImage(const Container &C, StringRef Object,
                            function_ref<Error(StreamedImage)> Use) {
  Expected<std::unique_ptr<ImageStream>> Images = ImageStream::open(C, Object);
  if (!Images)
    return Images.takeError();
  for (;;) {
    Expected<std::optional<StreamedImage>> Image = (*Images)->next();
    if (!Image)
      return Image.takeError();
    if (!*Image)
      return Error::success();
    if (Error E = Use(std::move(**Image)))
      return E;
  }
}
