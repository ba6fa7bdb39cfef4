/** Calls of the management API of a running installation. */
export { createRestClient, type RestBody, type RestClient, RestFailure, type RestQuery } from './rest-client.ts';
