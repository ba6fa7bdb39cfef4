export { type AzureAuthOptions, azureAuth } from './authorizer.ts';
export { joinQuery, splitQuery, withoutVersion, withVersion } from './query.ts';
