/** What managers and own identities of one cloud share. */
export {
  type AwsCall,
  type AwsCredentials,
  assumeRole,
  awsEndpoint,
  readAgent,
  readRole,
  SESSION_NAME,
  signedCall,
  type TokenService,
  tokenServiceOf,
} from './aws-role.ts';
export { type AzureCloud, azureToken, type Calling, readToken } from './azure-token.ts';
