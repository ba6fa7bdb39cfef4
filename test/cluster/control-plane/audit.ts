import { open } from 'node:fs/promises';
import { z } from 'zod';

/** A request that the API server answered. */
export interface AuditEvent {
  /** `system:serviceaccount:<namespace>:<name>` for a pod's identity. */
  readonly user: string;
  readonly verb: string;
  /** Empty for the core group and for paths that are no resources. */
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly status: number;
  readonly path: string;
  readonly userAgent: string;
  /** ISO 8601, when the request came. */
  readonly at: string;
}

/** Events that agree with every field given. */
export type AuditFilter = Readonly<Partial<AuditEvent>>;

const MAX_EVENTS = 200_000;

const line = z.looseObject({
  stage: z.string(),
  user: z.looseObject({ username: z.string().default('') }),
  verb: z.string(),
  requestURI: z.string(),
  userAgent: z.string().default(''),
  requestReceivedTimestamp: z.string(),
  objectRef: z
    .looseObject({
      apiGroup: z.string().default(''),
      resource: z.string().default(''),
      subresource: z.string().default(''),
      namespace: z.string().default(''),
      name: z.string().default(''),
    })
    .prefault({}),
  responseStatus: z.looseObject({ code: z.number().default(0) }).prefault({}),
});

/** The events of an audit log, oldest first. An event is written just after its answer: wait for it. */
export async function readAuditLog(path: string, filter: AuditFilter): Promise<AuditEvent[]> {
  const fields = Object.keys(filter) as (keyof AuditEvent)[]; // a filter has no others
  const events: AuditEvent[] = [];
  const file = await open(path);
  for await (const text of file.readLines()) {
    const event = parseEvent(text);
    if (event === undefined || fields.some((field) => event[field] !== filter[field])) continue;
    if (events.length === MAX_EVENTS) throw new Error(`More than ${MAX_EVENTS} audit events match: narrow the filter`);
    events.push(event);
  }
  return events;
}

/** Nothing for a request that is still going on, and for a last line that is still being written. */
function parseEvent(text: string): AuditEvent | undefined {
  const { success, data: event } = line.safeParse(parseJson(text));
  if (!success || event.stage !== 'ResponseComplete') return undefined;
  const { objectRef } = event;
  return {
    user: event.user.username,
    verb: event.verb,
    group: objectRef.apiGroup,
    resource: objectRef.resource,
    subresource: objectRef.subresource,
    namespace: objectRef.namespace,
    name: objectRef.name,
    status: event.responseStatus.code,
    path: event.requestURI,
    userAgent: event.userAgent,
    at: event.requestReceivedTimestamp,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
