import { expect, test } from 'vitest';
import { missing } from './peer.ts';

test('says why a peer is missing in one line, without what a program printed', () => {
  const error = new Error('npm ended with 1: request to https://registry.example/x failed\nnpm error A log is in /root');
  expect(missing('Other', error)).toEqual({ name: 'Other', reason: 'npm ended with 1' });
  expect(missing('Other', 'ENOENT')).toEqual({ name: 'Other', reason: 'ENOENT' });
});
