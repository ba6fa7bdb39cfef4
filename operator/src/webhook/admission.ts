/** Requests of the API server to a webhook, and the responses (admission.k8s.io/v1). */
import { err, formatPath, ok, type Result } from '@gatehouse/crds';
import { z } from 'zod';
import type { Cause, Refusal } from '../review/index.ts';
import type { PatchOperation } from './injection/patch.ts';

const request = z.looseObject({
  uid: z.string().max(128),
  kind: z.looseObject({ group: z.string(), version: z.string(), kind: z.string() }),
  operation: z.enum(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']),
  name: z.string().optional(),
  namespace: z.string().optional(),
  subResource: z.string().optional(),
  userInfo: z.looseObject({ username: z.string().default('') }).default({ username: '' }),
  object: z.record(z.string(), z.unknown()).nullish(),
  oldObject: z.record(z.string(), z.unknown()).nullish(),
});

const review = z.looseObject({
  apiVersion: z.literal('admission.k8s.io/v1'),
  kind: z.literal('AdmissionReview'),
  request,
});

export type AdmissionRequest = Readonly<z.output<typeof request>>;

export type AdmissionResponse =
  | { readonly allowed: true; readonly warnings?: readonly string[]; readonly patch?: readonly PatchOperation[] }
  | Refusal;

/** The request of a review; the error is a message for the caller. */
export function parseReview(body: unknown): Result<AdmissionRequest, string> {
  const parsed = review.safeParse(body);
  if (parsed.success) return ok(parsed.data.request);
  const [issue] = parsed.error.issues;
  return err(`not an AdmissionReview: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
}

const CODES = { Invalid: 422, Forbidden: 403, Conflict: 409 } as const;
/** As many and as long as the API server passes on to the client. */
const MAX_WARNINGS = 20;
const MAX_WARNING_CHARACTERS = 250;
const MAX_CAUSES = 100;

/** The AdmissionReview that answers a request. */
export function toReview(asked: AdmissionRequest, answer: AdmissionResponse): object {
  const warnings = (answer.warnings ?? []).slice(0, MAX_WARNINGS).map((text) => text.slice(0, MAX_WARNING_CHARACTERS));
  const response = {
    uid: asked.uid,
    allowed: answer.allowed,
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(answer.allowed ? patchOf(answer.patch) : { status: toStatus(asked, answer) }),
  };
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
}

function patchOf(patch: readonly PatchOperation[] = []): object {
  if (patch.length === 0) return {};
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
}

function toStatus({ kind, name }: AdmissionRequest, { reason, message, causes = [] }: Refusal): object {
  const details = { name, group: kind.group, kind: kind.kind, causes: causes.slice(0, MAX_CAUSES).map(toField) };
  return { status: 'Failure', code: CODES[reason], reason, message, ...(causes.length === 0 ? {} : { details }) };
}

/** `spec.config.targets[0]`; empty for the object as a whole. */
const toField = ({ reason, message, path }: Cause): object => ({ reason, message, field: formatPath(path) });
