int plain() { return 4; }
