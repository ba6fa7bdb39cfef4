import type { ErrorCode } from '@gatehouse/crds/errors';
import { AppError } from '../../errors/index.ts';
import type { CheckError } from '../contract.ts';

export type CheckFaultName =
  | 'HttpError'
  | 'TimeoutError'
  | 'ParseError'
  | 'ConnectionError'
  | 'ResponseTooLarge'
  | 'ServiceError'
  | 'CredentialError'
  | 'InvalidInput'
  | 'AbortError';

/** Why a check could not decide. Neither message nor body holds a credential. */
export class CheckFault extends Error {
  override readonly name: CheckFaultName;
  /** Status and body of the service's answer, where there is one. */
  readonly status: number | undefined;
  readonly body: unknown;

  constructor(
    name: CheckFaultName,
    message: string,
    answer: { readonly status?: number; readonly body?: unknown } = {},
  ) {
    super(message);
    this.name = name;
    this.status = answer.status;
    this.body = answer.body;
  }
}

/** What failed, as the answer of a check shows it: messages of errors of other kinds may hold anything and are left out. */
export function faultOf(error: unknown): CheckError {
  if (error instanceof CheckFault) return { name: error.name, message: error.message };
  if (error instanceof AppError) return faultOf(toFault(error, undefined));
  return { name: 'Check error', message: 'The check failed' };
}

const BY_CODE: ReadonlyMap<ErrorCode, CheckFaultName> = new Map<ErrorCode, CheckFaultName>([
  ['UPSTREAM_TIMEOUT', 'TimeoutError'],
  ['UPSTREAM_CONNECT_TIMEOUT', 'TimeoutError'],
  ['UPSTREAM_STREAM_IDLE', 'TimeoutError'],
  ['UPSTREAM_TOO_LARGE', 'ResponseTooLarge'],
  ['UPSTREAM_INVALID_RESPONSE', 'ParseError'],
  ['CREDENTIAL_UNAVAILABLE', 'CredentialError'],
  ['PROVIDER_FIELD_MISSING', 'CredentialError'],
  ['CLIENT_CLOSED', 'AbortError'],
  ['DRAINING', 'AbortError'],
]);

const SENTENCES: Partial<Readonly<Record<CheckFaultName, string>>> = {
  TimeoutError: 'did not answer in time',
  ResponseTooLarge: 'answered with more bytes than are read',
  ParseError: 'gave an answer that is not valid',
  CredentialError: 'needs a credential that is missing or could not be used',
  AbortError: 'was not waited for: the request ended',
};

/** A failure of the network; `host` is that of the service. */
export function toFault(error: unknown, host: string | undefined): CheckFault {
  if (error instanceof CheckFault) return error;
  const service = host === undefined ? 'The service' : `The service at ${host}`;
  if (!(error instanceof AppError)) return new CheckFault('ConnectionError', `${service} could not be called`);
  if (error.code === 'UPSTREAM_ADDRESS_REFUSED') {
    return new CheckFault(
      'ConnectionError',
      `${service} has an address that is not allowed; TRUSTED_CUSTOM_HOSTS names the private hosts that are`,
    );
  }
  const name = BY_CODE.get(error.code) ?? 'ConnectionError';
  return new CheckFault(name, `${service} ${SENTENCES[name] ?? 'could not be reached'}`);
}
