import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { canBuild, ensurePrograms, missingPrograms, pathOf } from './build.ts';
import { isProgramName, PROGRAMS_OF_TIER } from './programs.ts';

describe('a program', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-build-'));
    vi.stubEnv('GATEHOUSE_TEST_CACHE', join(folder, 'cache'));
    vi.stubEnv('KUBEBUILDER_ASSETS', join(folder, 'assets'));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });

  test('is taken from KUBEBUILDER_ASSETS where it is there', async () => {
    vi.stubEnv('KUBEBUILDER_ASSETS', folder);
    await writeFile(join(folder, 'etcd'), '');
    await chmod(join(folder, 'etcd'), 0o755);
    expect(missingPrograms(['etcd', 'kubectl'])).toEqual(['kubectl']);
    expect(pathOf(await ensurePrograms(['etcd']), 'etcd')).toBe(join(folder, 'etcd'));
  });

  test('that is missing is a failure where it cannot be built', async () => {
    vi.stubEnv('PATH', folder);
    expect(canBuild()).toBe(false);
    await expect(ensurePrograms(['pause'])).rejects.toThrow();
  });

  test.skipIf(!canBuild())('is built once, however many ask for it at once', async () => {
    const lines: string[] = [];
    const ask = () => ensurePrograms(['pause'], { onProgress: (line) => lines.push(line) });
    const [first, ...others] = await Promise.all([ask(), ask(), ask()]);
    expect(lines.length).toBe(2); // begun and done
    expect(others).toEqual([first, first]);
    const [family = ''] = await readdir(join(folder, 'cache'));
    expect(await readdir(join(folder, 'cache', family))).toEqual(['pause']);
    expect(missingPrograms(['pause'])).toEqual([]);
  });
});

test('every program of a tier is built by a Go module', () => {
  expect(PROGRAMS_OF_TIER[2].filter((name) => !isProgramName(name))).toEqual([]);
  expect(isProgramName('constructor')).toBe(false);
});
