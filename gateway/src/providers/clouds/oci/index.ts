/** Credentials of Oracle Cloud Infrastructure. */
export { ociSignature } from './authorizer.ts';
