import type { AuditRow } from '@gatehouse/crds/records';
import { REST_ERRORS } from '@gatehouse/crds/rest';
import type { CallReport } from './server.ts';

/** The record of a call; undefined for one that only reads, and for one too many: those would drive the others out. */
export function toAuditRecord(report: CallReport, nowMs: number): Omit<AuditRow, 'id'> | undefined {
  const { operation, caller, status, errorCode, requestId, path, changes, forced } = report;
  if (operation.method === 'GET' || status === REST_ERRORS.TOO_MANY.status) return undefined;
  return {
    at: new Date(nowMs),
    request_id: requestId,
    operation: operation.id,
    method: operation.method,
    path: path.slice(0, MAX_PATH),
    actor_type: actorOf(caller),
    actor_id: caller?.keyId ?? null,
    actor_user: caller?.user ?? null,
    workspace: caller?.workspace ?? null,
    status,
    error_code: errorCode ?? null,
    forced,
    changes: [...changes],
  };
}

function actorOf(caller: CallReport['caller']): AuditRow['actor_type'] {
  if (caller === undefined) return 'anonymous';
  return caller.isDirectory ? 'scim' : 'api_key';
}

const MAX_PATH = 1_024;
