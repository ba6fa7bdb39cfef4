import { existsSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { PROGRAMS_FOLDER, programArgs } from './programs.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each(['gateway', 'operator', 'standalone'] as const)('%s starts from its sources', (name) => {
  vi.stubEnv(PROGRAMS_FOLDER, undefined);
  const [condition, file = ''] = programArgs(name);
  expect(condition).toBe('--conditions=@gatehouse/source');
  expect(existsSync(file), file).toBe(true);
});

test('a program starts from its bundle where the test command has made one', () => {
  vi.stubEnv(PROGRAMS_FOLDER, '/bundles');
  expect(programArgs('operator')).toEqual(['/bundles/operator.js']);
});
