/** The values of the request log. */
import { flag, type Members, secretEntry, section } from './parts.ts';

export const records: Members = {
  clickhouse: section('In ClickHouse.', {
    urlSecretRef: secretEntry(
      'Secret entry with the URL (https://USER:PASSWORD@HOST:8443), with the same name in the namespace of the release and in ' +
        'that of the default fleet; it goes before postgres.',
    ),
  }),
  postgres: section('In the database of the management API.', {
    enabled: flag(
      false,
      "Whether gateways of the default fleet keep it in the chart's own PostgreSQL, with an account that sees nothing else; give " +
        'postgres.persistence.size room for it.',
    ),
    urlSecretRef: secretEntry(
      'Secret entry, in the namespace of the default fleet, with the URL of the database that postgres.urlSecretRef names, for an ' +
        'account of the gateways.',
    ),
  }),
};
