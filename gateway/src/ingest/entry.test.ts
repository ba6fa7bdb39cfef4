import { expect, test } from 'vitest';
import { plainUrl } from './entry.ts';

test.for([
  ['/v1/chat/completions', '/v1/chat/completions'],
  ['/v1/models/m:generateContent?key=secret', '/v1/models/m:generateContent'],
  ['https://host/path#secret', 'https://host/path'],
  ['https://ada:secret@host:8443/path?a=b\nc', 'https://host:8443/path'],
  ['//ada:secret@host/path', '//host/path'],
  ['https://ada:se?cret@host/path', ''],
  ['https://a@b:secret@host/', 'https://host/'],
  ['HTTPS://Host/Path', 'https://host/Path'],
  ['https://host/path@here', 'https://host/path@here'],
] as const)('%s is kept as %s', ([url, plain]) => {
  expect(plainUrl(url)).toBe(plain);
});
