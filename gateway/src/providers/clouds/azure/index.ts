export { type AzureAuthOptions, azureAuth } from './authorizer.ts';
export { openBlob } from './blob.ts';
export { joinQuery, splitQuery, withoutVersion, withVersion } from './query.ts';
