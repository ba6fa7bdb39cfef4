/** Calls of the management API of a running installation. */
export { createRestClient, type RestBody, type RestClient, RestFailure } from './rest-client.ts';
