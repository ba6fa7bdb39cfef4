/** What managers and own identities of one cloud share. */
export { type AwsCredentials, awsEndpoint, readRole } from './aws-role.ts';
export { type AzureCloud, azureToken, type Calling, readToken } from './azure-token.ts';
