import type { AuditRow } from '@gatehouse/crds/records';
import { REST_ERRORS } from '@gatehouse/crds/rest';
import { maskedHeaders, maskedJson } from '../audit/index.ts';
import type { CallReport } from './server.ts';

/**
 * The record of a call; undefined for one that only reads or that is a record itself, for one too many, and for a sign-in of nobody known: those would drive the
 * others out.
 */
export function toAuditRecord(report: CallReport, nowMs: number): Omit<AuditRow, 'id'> | undefined {
  const { operation, caller, status, errorCode, requestId, path, changes, forced, sent } = report;
  const isRecorded =
    operation.method === 'GET' ? operation.isAudited === true && changes.length > 0 : operation.isAudited !== false;
  if (!isRecorded || status === REST_ERRORS.TOO_MANY.status) return undefined;
  return {
    at: new Date(nowMs),
    request_id: requestId,
    operation: operation.id,
    method: operation.method,
    path: path.slice(0, MAX_PATH),
    actor_type: actorOf(caller),
    actor_id: caller?.keyId ?? null,
    actor_user: caller?.user ?? null,
    workspace: caller?.workspace ?? report.workspace ?? null,
    status,
    error_code: errorCode ?? null,
    forced,
    outside: false,
    request_body: maskedJson(sent.body),
    query_params: maskedJson(sent.query),
    request_headers: maskedHeaders(sent.headers),
    client_ip: sent.address ?? null,
    changes: [...changes],
  };
}

function actorOf(caller: CallReport['caller']): AuditRow['actor_type'] {
  if (caller === undefined) return 'anonymous';
  if (caller.isDirectory) return 'scim';
  return caller.isSession ? 'user' : 'api_key';
}

const MAX_PATH = 1_024;
