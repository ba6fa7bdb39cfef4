/** Tokens of issuers in place of gateway keys; docs/behaviour/identity.md. */
export { createKeyFetcher } from './fetch-keys.ts';
export { createIssuerKeys, type IssuerKeys } from './issuer-keys.ts';
export type { TokenIdentity } from './key-record.ts';
export { looksLikeToken } from './token.ts';
export { createTokenCheck, isOwnToken, type TokenCheck } from './token-check.ts';
