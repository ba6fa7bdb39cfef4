// Positions that one word touches in a vector: enough that two words rarely cancel each other out.
const POSITIONS_PER_WORD = 16;

/**
 * A unit vector of a text, built from hashes of its words: texts that share words are near each other, others are not.
 * The same text has the same vector in every process.
 */
export function embedText(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  for (const word of words) addWord(vector, word);
  if (!vector.some((value) => value !== 0)) vector[hashText(text) % dimensions] = 1;
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

/** 32-bit floats in little-endian order, as OpenAI and Cohere have them. */
export function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * Float32Array.BYTES_PER_ELEMENT);
  return bytes.toString('base64');
}

function addWord(vector: Float32Array, word: string): void {
  let state = hashText(word);
  for (let step = 0; step < POSITIONS_PER_WORD; step += 1) {
    state = scramble(state + 0x9e37_79b9);
    const position = (state >>> 1) % vector.length;
    vector[position] = (vector[position] ?? 0) + (state & 1 ? 1 : -1);
  }
}

/** FNV-1a over UTF-16 code units, 32 bits. */
function hashText(text: string): number {
  let hash = 0x811c_9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x0100_0193);
  }
  return hash >>> 0;
}

/** The finalizer of MurmurHash3: every input bit changes about half of the output bits. */
function scramble(value: number): number {
  let mixed = value >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
