export { authorizedFetch, awsSigV4, type SigV4Options, usesApiKey } from './authorizer.ts';
export type { AwsCredentials } from './credentials.ts';
export { awsBaseUrl, awsRegion, endpointDomain } from './region.ts';
export { type StoreIdentity, storeCredentials } from './resolve.ts';
export { type SignOptions, signRequest } from './sign.ts';
