/** Records of writes: in the database where it runs, else in the log. */
import type { AuditRow } from '@gatehouse/crds/records';
import type { Logger } from '@gatehouse/gateway';
import { createAuditLog, createRetention, toLogLine, whyNotKept } from '@gatehouse/operator/management';
import { keepsRows, type PeopleDatabase } from './people-database.ts';

export interface Audit {
  add(record: Omit<AuditRow, 'id'>): void;
  close(): Promise<void>;
}

export function openAudit(people: PeopleDatabase | undefined, logger: Logger): Audit {
  const toLog = (record: Omit<AuditRow, 'id'>): void => logger.info(toLogLine(record), 'Audit record');
  if (people === undefined) return { add: toLog, close: async () => undefined };
  const { database, auditRetentionDays: days = 0 } = people;
  const isEnabled = keepsRows(people);
  const log = createAuditLog({
    database,
    onDropped: (record, refused) => logger.warn(toLogLine(record), `Audit record was not kept: ${whyNotKept(refused)}`),
  });
  const retention = createRetention({
    ...{ database, days, now: Date.now },
    isEnabled: () => days > 0 && isEnabled(),
    onFailure: (error) => logger.warn({ err: error }, 'Old audit records could not be deleted'),
  });
  void retention.run();
  return {
    add: (record) => (isEnabled() ? log.add(record) : toLog(record)),
    close: async () => {
      await Promise.all([log.close(), retention.close()]);
    },
  };
}
