import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOOPBACK_PEM, RENEWED_PEM } from '@gatehouse/test/kit';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createCheck } from './certificate.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-certificate-'));
const files = { key: join(folder, 'tls.key'), cert: join(folder, 'tls.crt') };
const write = (key: string, cert: string): void => {
  writeFileSync(files.key, key);
  writeFileSync(files.cert, cert);
};

beforeEach(() => write(LOOPBACK_PEM, LOOPBACK_PEM));
afterAll(() => rmSync(folder, { recursive: true }));

function stage() {
  const applied: string[] = [];
  const logged: string[] = [];
  const check = createCheck({
    files,
    served: { key: LOOPBACK_PEM, cert: LOOPBACK_PEM },
    apply: ({ cert }) => void applied.push(cert),
    logger: {
      info: (_, line) => void logged.push(`info ${line}`),
      error: (_, line) => void logged.push(`error ${line}`),
    },
  });
  return { applied, logged, check };
}

describe('the certificate in files', () => {
  test('is left alone while it is the same', async () => {
    const { applied, logged, check } = stage();
    await check();
    await check();
    expect([applied, logged]).toEqual([[], []]);
  });

  test('is used once when it has changed', async () => {
    const { applied, logged, check } = stage();
    write(RENEWED_PEM, RENEWED_PEM);
    await check();
    await check();
    expect([applied, logged]).toEqual([[RENEWED_PEM], ['info TLS certificate replaced']]);
  });

  test.for([
    { rule: 'does not belong to the key', key: RENEWED_PEM, cert: LOOPBACK_PEM },
    { rule: 'is none', key: LOOPBACK_PEM, cert: 'not a certificate' },
    { rule: 'is empty', key: '', cert: '' },
  ])('keeps the last good one while the new one $rule, says so once, and recovers', async ({ key, cert }) => {
    const { applied, logged, check } = stage();
    write(key, cert);
    await check();
    expect(logged, 'the files may be replaced one after the other').toEqual([]);
    await check();
    await check();
    expect(applied).toEqual([]);
    expect(logged).toEqual(['error TLS certificate could not be replaced, the last good one keeps serving']);
    write(RENEWED_PEM, RENEWED_PEM);
    await check();
    expect(applied).toEqual([RENEWED_PEM]);
  });

  test('keeps the last good one while a file is missing', async () => {
    const { applied, logged, check } = stage();
    rmSync(files.key);
    await check();
    await check();
    expect([applied, logged.length]).toEqual([[], 1]);
    write(LOOPBACK_PEM, LOOPBACK_PEM);
    await check();
    expect([applied, logged.length]).toEqual([[], 1]);
  });
});
