/** The values of the request log. */
import { EXTERNAL_ID, MAX_EXTERNAL_ID, MAX_ROLE_ARN, ROLE_ARN } from '@gatehouse/crds';
import { z } from 'zod';
import { choice, leaf, type Members, secretEntry, section, text } from './parts.ts';

/** As `spec.records.postgres.maxMebibytes` of a GatewayFleet. */
const [MIN_MEBIBYTES, MAX_MEBIBYTES] = [64, 1024 ** 3];

/** Of this form, or empty. */
const emptyOr = (form: RegExp, max: number) =>
  z
    .string()
    .max(max)
    .regex(new RegExp(`^$|${form.source}`));

export const records: Members = {
  clickhouse: section('In ClickHouse.', {
    urlSecretRef: secretEntry(
      'Secret entry with the URL (https://USER:PASSWORD@HOST:8443), with the same name in the namespace of the release and in ' +
        'that of the default fleet; it goes before postgres.',
    ),
  }),
  s3: section(
    'Headers and bodies in a bucket with the API of S3, beside rows in one of the databases.',
    {
      bucket: text(['', 'request-logs'], 'Name of the bucket; empty: they are in the database.'),
      region: text(['us-east-1', 'eu-central-1'], 'Region of the bucket.'),
      endpoint: text(['', 'https://minio.example.com'], 'Address of a store other than AWS; empty: AWS.'),
      pathFormat: choice(['V1', 'V2'], ['V1', 'V2'], 'Names of objects: with workspace and hour in V2.'),
      secretName: text(
        ['', 'minio'],
        'Secret with accessKeyId and secretAccessKey, with the same name in the namespace of the release and in that of the ' +
          'default fleet; empty: the identities of the pods.',
      ),
      roleArn: leaf(
        emptyOr(ROLE_ARN, MAX_ROLE_ARN),
        ['', 'arn:aws:iam::123456789012:role/logs'],
        'ARN of the role of AWS that is assumed for the bucket, with that key pair or the identities of the pods; empty: none.',
      ),
      externalId: leaf(
        emptyOr(EXTERNAL_ID, MAX_EXTERNAL_ID),
        ['', 'gateway'],
        'External id that this role asks for; it needs roleArn.',
      ),
      caSecretRef: secretEntry(
        'Secret entry with the certificate authorities of the endpoint as PEM, with the same name in both namespaces; empty: those ' +
          'that are trusted anyway.',
        { name: 'minio', key: 'ca.crt' },
      ),
    },
    { externalId: 'roleArn' },
  ),
  postgres: section('In PostgreSQL.', {
    enabled: leaf(
      z.union([z.boolean(), z.literal('auto')]),
      ['auto', false],
      "Whether gateways of the default fleet keep it in the chart's own PostgreSQL, with an account that sees nothing else; give " +
        'postgres.persistence.size room for it. auto: where the chart runs one, and no other database is named for the log; true: ' +
        'else the installation is refused.',
    ),
    urlSecretRef: secretEntry(
      'Secret entry with the URL of another PostgreSQL, for an account of the gateways, with the same name in the namespace of the ' +
        'release and in that of the default fleet.',
    ),
    maxMebibytes: leaf(
      z.union([z.literal(0), z.int().min(MIN_MEBIBYTES).max(MAX_MEBIBYTES)]),
      [0, 2048],
      'How much the log may take in the database, with its indexes, in MiB; of more the oldest days are dropped. 0: five eighths of ' +
        "postgres.persistence.size in the chart's own PostgreSQL, where people and audit records need the rest; elsewhere as much as comes.",
    ),
  }),
};
