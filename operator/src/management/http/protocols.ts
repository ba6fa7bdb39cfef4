/** How operations are answered: as JSON of the management API, or as SCIM (RFC 7644). */
import { isScimPath, REST_ERRORS, SCIM_TYPE, scimErrorBody } from '@gatehouse/crds/rest';
import type { FastifyReply } from 'fastify';
import type { ScimAnswer } from '../families/index.ts';
import { feedbackErrorBody, isFeedbackPath } from './feedback-error.ts';
import { errorBody, type RestError } from './rest-error.ts';

/** `path` is without the query. */
export function sendError(reply: FastifyReply, path: string, error: RestError): FastifyReply {
  const { status, details } = error;
  if (details.retryAfter !== undefined) reply.header('retry-after', details.retryAfter);
  if (isFeedbackPath(path)) return reply.status(status).send(feedbackErrorBody(error));
  if (!isScimPath(path)) return reply.status(status).send(errorBody(error));
  if (status === REST_ERRORS.UNAUTHENTICATED.status) reply.header('www-authenticate', 'Bearer');
  return reply
    .status(status)
    .type(SCIM_TYPE)
    .send(JSON.stringify(scimErrorBody(error.error, details)));
}

export function sendScim(reply: FastifyReply, { status, body, location }: ScimAnswer): FastifyReply {
  if (location !== undefined) reply.header('location', location);
  if (body === undefined) return reply.status(status).send();
  return reply.status(status).type(SCIM_TYPE).send(JSON.stringify(body));
}
