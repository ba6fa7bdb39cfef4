/** How operations are answered: as JSON of the management API, or as SCIM (RFC 7644). */
import { REST_ERRORS } from '@gatehouse/crds/rest';
import type { FastifyReply } from 'fastify';
import type { ScimAnswer } from '../families/index.ts';
import { errorBody, type RestError } from './rest-error.ts';

const SCIM_TYPE = 'application/scim+json; charset=utf-8';
const SCIM_ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';
/** Paths of SCIM; those of its mappings are in lower case. */
const SCIM_PATH = /^\/v1\/scim\/(v2(\/|$)|[A-Z])/;

export const isScimPath = (path: string): boolean => SCIM_PATH.test(path);

/** `path` is without the query. */
export function sendError(reply: FastifyReply, path: string, error: RestError): FastifyReply {
  const { status, details } = error;
  if (details.retryAfter !== undefined) reply.header('retry-after', details.retryAfter);
  if (!isScimPath(path)) return reply.status(status).send(errorBody(error));
  const scimType = details.scimType ?? (error.error === 'INVALID' ? 'invalidValue' : undefined);
  const body = {
    schemas: [SCIM_ERROR],
    status: String(status),
    ...(scimType === undefined ? {} : { scimType }),
    detail: details.message,
  };
  if (status === REST_ERRORS.UNAUTHENTICATED.status) reply.header('www-authenticate', 'Bearer');
  return reply.status(status).type(SCIM_TYPE).send(JSON.stringify(body));
}

export function sendScim(reply: FastifyReply, { status, body, location }: ScimAnswer): FastifyReply {
  if (location !== undefined) reply.header('location', location);
  if (body === undefined) return reply.status(status).send();
  return reply.status(status).type(SCIM_TYPE).send(JSON.stringify(body));
}
