/** What the checks of all partners have in common: a row says what is asked and how the answer is read. */
import type { CheckEntry, CheckPhase } from '@gatehouse/crds/guardrails';
import type { z } from 'zod';
import { AppError } from '../../../../errors/index.ts';
import {
  type CheckAnswer,
  type CheckDefinition,
  type CheckSubject,
  type CheckTools,
  type CompiledCheck,
  defineCheck,
} from '../../../contract.ts';
import { CheckFault, callService, faultOf } from '../../../outbound/index.ts';
import { missing, missingFields, openCredential, type PartnerCredential } from './credential.ts';

/** Parameters that every check of a partner has. */
export interface CallParameters {
  readonly timeout: number;
  readonly forwardHeaders?: readonly string[] | undefined;
}

/** One of the texts that are not empty. */
export interface TextPart {
  readonly text: string;
  /** Its position in the parts of the subject. */
  readonly at: number;
}

export interface Ask<P> {
  readonly parameters: P;
  readonly credential: PartnerCredential;
  readonly subject: CheckSubject;
  readonly tools: CheckTools;
  readonly texts: readonly TextPart[];
}

export interface PartnerRequest {
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

export interface PartnerRow<P> {
  /** The verdict beside an error. */
  readonly onError: boolean;
  /** Without any text: it is asked all the same, passes without being asked, or has an error with this verdict. */
  readonly empty: 'asked' | 'passes' | boolean;
  /** The verdict beside the error for a credential that is missing; default `onError`. */
  readonly withoutCredential?: boolean;
  /** Runs in this phase only; in the other one it has an error with this verdict. */
  readonly only?: { readonly phase: CheckPhase; readonly verdict: boolean };
  /** The URL of the service without a slash at the end, where the credential has no `baseUrl`; fields in place of it. */
  readonly host: string | ((credential: PartnerCredential) => string);
  readonly hostFields?: readonly string[];
  readonly auth?: PartnerAuth;
  /** Appended to the host. */
  readonly path: string | ((ask: Ask<P>) => string);
  readonly headers?: (ask: Ask<P>) => Readonly<Record<string, string>>;
  /** Decides without asking. */
  readonly decide?: (ask: Ask<P>) => CheckAnswer | undefined;
  /** One body for each call. None: it passes. */
  readonly bodies: (ask: Ask<P>) => readonly unknown[];
  /** Last changes, for credentials that are more than a header. Throws CheckFault or AppError. */
  readonly authorize?: (request: PartnerRequest, ask: Ask<P>) => Promise<PartnerRequest>;
  /** The replies in the order of the bodies. Throws CheckFault for a reply of another form. */
  readonly read: (replies: readonly unknown[], ask: Ask<P>) => CheckAnswer;
  /** The answer after an error, where it is not the error with the verdict `onError`. */
  readonly failed?: (error: unknown) => CheckAnswer;
}

export interface PartnerAuth {
  /** Lower-case name. */
  readonly header: string;
  readonly field: string;
  /** In front of the value. */
  readonly scheme?: string;
}

export const bearer = (field = 'apiKey'): PartnerAuth => ({ header: 'authorization', field, scheme: 'Bearer ' });

export const keyHeader = (header: string, field = 'apiKey'): PartnerAuth => ({ header, field });

/** A body with the text. */
export const once =
  <P>(body: (ask: Ask<P>) => unknown) =>
  (ask: Ask<P>): readonly unknown[] => [body(ask)];

/** One body for each text. */
export const eachText =
  <P>(body: (text: string, ask: Ask<P>) => unknown) =>
  (ask: Ask<P>): readonly unknown[] =>
    ask.texts.map(({ text }) => body(text, ask));

/** Calls of one check for one request, and how many of them run at once. */
const MAX_CALLS = 128;
const AT_ONCE = 8;

export function definePartner<S extends z.ZodObject & z.ZodType<CallParameters>>(
  entry: CheckEntry<S>,
  row: PartnerRow<z.output<S>>,
): CheckDefinition {
  return defineCheck(entry, (parameters, values) => {
    const fields = entry.credential?.fields ?? [];
    const credential = openCredential(values, fields);
    const absent = missingFields(credential, fields);
    if (absent.length > 0) return always(failure(row.withoutCredential ?? row.onError, missing(absent)));
    return check(row, parameters, credential);
  });
}

const always =
  (answer: CheckAnswer): CompiledCheck =>
  () =>
    answer;

const failure = (verdict: boolean, error: unknown): CheckAnswer => ({ verdict, error: faultOf(error) });

function check<P extends CallParameters>(
  row: PartnerRow<P>,
  parameters: P,
  credential: PartnerCredential,
): CompiledCheck {
  return async (subject, tools) => {
    const texts = subject.parts.flatMap((text, at) => (text === '' ? [] : [{ text, at }]));
    const ask: Ask<P> = { parameters, credential, subject, tools, texts };
    try {
      return decided(row, ask) ?? (await asked(row, ask));
    } catch (error) {
      if (!(error instanceof CheckFault || error instanceof AppError)) throw error;
      return row.failed?.(error) ?? failure(verdictBeside(error, row), error);
    }
  };
}

function verdictBeside<P>(error: unknown, { onError, withoutCredential = onError }: PartnerRow<P>): boolean {
  return faultOf(error).name === 'CredentialError' ? withoutCredential : onError;
}

function decided<P>(row: PartnerRow<P>, ask: Ask<P>): CheckAnswer | undefined {
  const { phase } = ask.subject;
  if (row.only !== undefined && row.only.phase !== phase) {
    return failure(row.only.verdict, new CheckFault('InvalidInput', `The check does not run on ${phase}`));
  }
  if (ask.subject.text === '' && row.empty !== 'asked') {
    if (row.empty === 'passes') return { verdict: true };
    return failure(row.empty, new CheckFault('InvalidInput', 'There is no text to check'));
  }
  return row.decide?.(ask);
}

async function asked<P extends CallParameters>(row: PartnerRow<P>, ask: Ask<P>): Promise<CheckAnswer> {
  const { credential } = ask;
  const url = baseOf(row, credential) + (typeof row.path === 'string' ? row.path : row.path(ask));
  const bodies = row.bodies(ask);
  if (bodies.length === 0) return { verdict: true };
  if (bodies.length > MAX_CALLS) {
    throw new CheckFault('InvalidInput', `The check asks about at most ${MAX_CALLS} texts of a request`);
  }
  const headers = { ...row.headers?.(ask), ...authHeaders(row.auth, credential) };
  const replies: unknown[] = [];
  for (let at = 0; at < bodies.length; at += AT_ONCE) {
    const calls = bodies
      .slice(at, at + AT_ONCE)
      .map((body) => call({ url, headers, body: JSON.stringify(body) }, row, ask));
    replies.push(...(await Promise.all(calls)));
  }
  return row.read(replies, ask);
}

async function call<P extends CallParameters>(
  request: PartnerRequest,
  { authorize }: PartnerRow<P>,
  ask: Ask<P>,
): Promise<unknown> {
  const { parameters, credential, subject, tools } = ask;
  const { url, headers, body } = authorize === undefined ? request : await authorize(request, ask);
  const answer = await callService(
    {
      url,
      headers: { 'content-type': 'application/json', ...headers },
      body,
      timeoutMs: parameters.timeout,
      forwardHeaders: parameters.forwardHeaders,
      scrubber: credential.scrubber,
    },
    { subject, tools },
  );
  return answer.json;
}

function baseOf<P>({ host, hostFields = [] }: PartnerRow<P>, credential: PartnerCredential): string {
  const own = credential.text('baseUrl', ...hostFields) ?? (typeof host === 'string' ? host : host(credential));
  return own.replace(/\/+$/, '');
}

function authHeaders(auth: PartnerAuth | undefined, credential: PartnerCredential): Record<string, string> {
  if (auth === undefined) return {};
  const value = credential.text(auth.field);
  return value === undefined ? {} : { [auth.header]: (auth.scheme ?? '') + value };
}
