/** The values of the request log. */
import { type Members, secretEntry, section } from './parts.ts';

export const records: Members = {
  clickhouse: section('In ClickHouse.', {
    urlSecretRef: secretEntry(
      'Secret entry with the URL (https://USER:PASSWORD@HOST:8443), with the same name in the namespace of the release and in ' +
        'that of the default fleet; it goes before postgres.',
    ),
  }),
  postgres: section('In the database that postgres.urlSecretRef names for the management API.', {
    urlSecretRef: secretEntry(
      'Secret entry, in the namespace of the default fleet, with its URL for an account of the gateways.',
    ),
  }),
};
