/** What the library for signatures of AWS hashes with. */
export { Sha256 } from './sha256.ts';
