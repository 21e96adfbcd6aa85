// Huffman codes with a limited length, in deflate's canonical order.
#ifndef CPNG_HUFFMAN_H
#define CPNG_HUFFMAN_H

#include <stdint.h>

enum { CPNG_ALPHABET_MAX = 288 };

// Chooses a code length of at most `limit` bits for each of `symbols` counts, 0 for symbols that
// do not occur. At least two symbols get a code, since some decoders refuse a lonely one: with
// fewer, the first unused symbols join in. Counts from 2^23 on lose their lowest bits. 2^limit is
// at least `symbols`.
void cpng_huffman_lengths(const uint32_t *counts, unsigned symbols, unsigned limit,
                          uint8_t *lengths);

// Gives every symbol with a length its code, the first bit lowest, as deflate sends it.
void cpng_huffman_codes(const uint8_t *lengths, unsigned symbols, uint16_t *codes);

#endif
