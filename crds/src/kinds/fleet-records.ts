/** Where the gateways of a fleet write the request log. */
import { z } from 'zod';
import { flag, httpUrl, int, type Rule, text, withRules } from '../schema/index.ts';
import { BUCKET_ROLE, BUCKET_ROLE_RULES, nameRef, secretKeyRef } from './parts/index.ts';

/** A hundred years. */
const MAX_DAYS = 36_500;
/** A pebibyte. */
const MAX_MEBIBYTES = 1024 ** 3;

const URL_SECRET = secretKeyRef('urlSecretRef is the Secret entry with the URL.');

const URL_REF = { urlSecretRef: { name: 'logs', key: 'url' } };

interface RecordsFields {
  readonly postgres?: object | undefined;
  readonly clickhouse?: object | undefined;
  readonly s3?: { readonly objectLock?: boolean | undefined } | undefined;
  readonly retentionDays?: number | undefined;
}

const RECORDS_RULES: readonly Rule<RecordsFields>[] = [
  {
    cel: 'has(self.postgres) != has(self.clickhouse)',
    message: 'the request log is in one database: set either postgres or clickhouse',
    holds: ({ postgres, clickhouse }) => (postgres === undefined) !== (clickhouse === undefined),
    valid: [{ postgres: URL_REF }, { clickhouse: URL_REF }],
    invalid: [{}, { postgres: URL_REF, clickhouse: URL_REF }],
  },
  {
    cel: '!has(self.s3) || !self.s3.objectLock || self.retentionDays > 0',
    message: 'objectLock needs retentionDays of a day at least',
    at: 's3',
    holds: ({ s3: bucket, retentionDays = 30 }) => bucket?.objectLock !== true || retentionDays > 0,
    valid: [{ postgres: URL_REF, s3: { bucket: 'logs', region: 'eu-central-1', objectLock: true } }],
    invalid: [
      { postgres: URL_REF, s3: { bucket: 'logs', region: 'eu-central-1', objectLock: true }, retentionDays: 0 },
    ],
  },
];

interface BucketFields {
  readonly roleArn?: string | undefined;
  readonly externalId?: string | undefined;
  readonly encryption?: string | undefined;
  readonly kmsKeyId?: string | undefined;
}

const BUCKET = { bucket: 'logs', region: 'eu-central-1' };

const BUCKET_RULES: readonly Rule<BucketFields>[] = [
  ...BUCKET_ROLE_RULES,
  {
    cel: "!has(self.kmsKeyId) || (has(self.encryption) && self.encryption == 'KMS')",
    message: 'kmsKeyId is the key of encryption KMS',
    at: 'kmsKeyId',
    holds: ({ encryption, kmsKeyId }) => kmsKeyId === undefined || encryption === 'KMS',
    valid: [BUCKET, { ...BUCKET, encryption: 'KMS', kmsKeyId: 'alias/logs' }],
    invalid: [
      { ...BUCKET, kmsKeyId: 'alias/logs' },
      { ...BUCKET, encryption: 'AES256', kmsKeyId: 'alias/logs' },
    ],
  },
];

const s3 = withRules(
  z
    .strictObject({
      bucket: text('bucket is the name of the bucket.', 63),
      region: text('region is the region that requests are signed for.', 63),
      endpoint: httpUrl(
        'endpoint is the address of a store other than AWS; the bucket is put into the path.',
      ).optional(),
      pathFormat: z.enum(['V1', 'V2']).default('V1').meta({
        description:
          'pathFormat is how objects are named: by days, organisation and log (V1), or with workspace and hour, too (V2).',
      }),
      encryption: z
        .enum(['AES256', 'KMS'])
        .meta({ description: 'encryption is how the bucket encrypts objects; absent: as it does by itself.' })
        .optional(),
      kmsKeyId: text(
        'kmsKeyId is the id or ARN of the key of encryption KMS; absent: that of the account.',
        2048,
      ).optional(),
      objectLock: flag('objectLock true locks objects for retentionDays; the bucket needs Object Lock.', false),
      secretRef: nameRef(
        'secretRef names the Secret with accessKeyId and secretAccessKey; absent: the identity of the pod.',
      ).optional(),
      ...BUCKET_ROLE,
      caSecretRef: secretKeyRef(
        'caSecretRef is the Secret entry with the certificate authorities of endpoint as PEM; absent: those that gateways trust anyway.',
      ).optional(),
    })
    .meta({ description: 's3 keeps headers and bodies in a bucket; absent: they are in the database.' }),
  BUCKET_RULES,
);

export const records = withRules(
  z
    .strictObject({
      postgres: z
        .strictObject({
          urlSecretRef: URL_SECRET,
          maxMebibytes: int(
            'maxMebibytes is how much the log may take in the database, with its indexes, in MiB; of more the oldest days are dropped, and while the present day alone has more nothing is written; absent: as much as comes.',
            64,
            MAX_MEBIBYTES,
          ).optional(),
        })
        .meta({ description: 'postgres keeps the request log in PostgreSQL.' })
        .optional(),
      clickhouse: z
        .strictObject({ urlSecretRef: URL_SECRET })
        .meta({ description: 'clickhouse keeps the request log in ClickHouse.' })
        .optional(),
      s3: s3.optional(),
      retentionDays: int(
        'retentionDays is how long rows are kept where the Organisation does not say it, in days; 0: for ever.',
        0,
        MAX_DAYS,
      ).default(30),
      queueMebibytes: int(
        'queueMebibytes is the most memory of a pod for rows that wait to be written, in MiB; of more the oldest are dropped; absent: 64.',
        1,
        4096,
      ).optional(),
    })
    .meta({ description: 'records keeps a log of requests in a database; absent: none is kept.' }),
  RECORDS_RULES,
);
