import { describe, expect, test } from 'vitest';
import { readEnvironment } from './env.ts';
import { toSettings } from './settings.ts';

const batchesOf = (variables: Readonly<Record<string, string>>) => toSettings(readEnvironment(variables)).batches;

describe('where files and batches are', () => {
  test('is nowhere unless it is said', () => {
    expect(batchesOf({})).toMatchObject({ folder: undefined, database: undefined, bucket: undefined });
  });

  test('may be a bucket of the identity of the pod', () => {
    expect(batchesOf({ GATEHOUSE_BATCH_S3_BUCKET: 'b' }).bucket).toEqual({
      ...{ bucket: 'b', region: 'us-east-1', endpoint: undefined, prefix: undefined },
      ...{ forcePathStyle: false, keys: undefined },
    });
  });

  const bucket = { GATEHOUSE_BATCH_S3_BUCKET: 'b' };
  test('may be a bucket of a role', () => {
    const arn = 'arn:aws:iam::123456789012:role/batches';
    const given = { ...bucket, GATEHOUSE_BATCH_S3_ROLE_ARN: arn, GATEHOUSE_BATCH_S3_EXTERNAL_ID: 'gateway' };
    expect(batchesOf(given).bucket?.role).toEqual({ arn, externalId: 'gateway' });
  });

  test.for([
    { rule: 'a URL of another database', given: { GATEHOUSE_BATCH_DATABASE_URL: 'mysql://user:hidden@h/d' } },
    { rule: 'an endpoint that is none', given: { ...bucket, GATEHOUSE_BATCH_S3_ENDPOINT: 'ftp://hidden' } },
    { rule: 'half a key pair', given: { ...bucket, GATEHOUSE_BATCH_S3_SECRET_ACCESS_KEY: 'hidden' } },
    { rule: 'a role that is none', given: { ...bucket, GATEHOUSE_BATCH_S3_ROLE_ARN: 'hidden' } },
    { rule: 'no room for a row', given: { GATEHOUSE_BATCH_MAX_ROW_BYTES: '5' } },
  ])('is refused with $rule, by name and without its value', ({ given }) => {
    expect(() => batchesOf(given)).toThrow(
      /GATEHOUSE_BATCH_(DATABASE_URL|S3_ENDPOINT|S3_ACCESS_KEY_ID|S3_ROLE_ARN|MAX_ROW_BYTES)/,
    );
    let message = '';
    try {
      batchesOf(given);
    } catch (error) {
      message = String(error);
    }
    expect(message).toMatch(/GATEHOUSE_BATCH_/);
    expect(message).not.toContain('hidden');
  });
});
