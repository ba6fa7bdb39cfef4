/** JSON Web Tokens and the keys that sign them (RFC 7519, RFC 7517). */
export { KeySet, MAX_KEYS, type SigningKey } from './key-set.ts';
export { type Claims, looksLikeToken, type ReadToken, readToken } from './token.ts';
