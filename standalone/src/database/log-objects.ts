import { err, type Result } from '@gatehouse/crds';
import { LOG_STORES } from '@gatehouse/crds/logs';
import type { Variables } from '@gatehouse/gateway';
import { type LogObjects, openLogObjects } from '@gatehouse/operator/management';
import { createStoreIdentity } from '@gatehouse/operator/secret-managers';

/** Where gateways of the process keep documents; undefined: in the database. An error names the variable. */
export function logObjectsOf(variables: Variables): Result<LogObjects | undefined, string> {
  const text = (name: string): string | undefined => variables[name]?.trim() || undefined;
  const given = text('LOG_STORE') ?? 'control_plane';
  const kind = LOG_STORES.find((store) => store === given);
  if (kind === undefined) return err(`LOG_STORE: expected one of ${LOG_STORES.join(', ')}`);
  return openLogObjects(
    {
      kind,
      bucket: text('LOG_STORE_GENERATIONS_BUCKET'),
      region: text('LOG_STORE_REGION'),
      basePath: text('LOG_STORE_BASEPATH'),
      accessKey: text('LOG_STORE_ACCESS_KEY'),
      secretKey: text('LOG_STORE_SECRET_KEY'),
      roleArn: text('LOG_STORE_AWS_ROLE_ARN'),
      externalId: text('LOG_STORE_AWS_EXTERNAL_ID'),
      folder: text('GATEHOUSE_LOGS_DIR'),
      ca: text('LOG_STORE_CA'),
    },
    { openIdentity: (place) => createStoreIdentity({ variables, now: Date.now }, place), now: Date.now },
  );
}
