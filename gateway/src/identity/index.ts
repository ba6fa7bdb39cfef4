/** Tokens of issuers in place of gateway keys; docs/behaviour/identity.md. */

export { looksLikeToken } from '../lib/jwt/index.ts';
export { createKeyFetcher } from './fetch-keys.ts';
export { createIssuerKeys, type IssuerKeys } from './issuer-keys.ts';
export type { TokenIdentity } from './key-record.ts';
export { createTokenCheck, isOwnToken, type TokenCheck } from './token-check.ts';
export { usableAlgorithms } from './usable-algorithms.ts';
