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
  ['user:pass@h.com/p', 'h.com/p'],
  ['user:p/ss@h.com/p', 'h.com/p'],
  ['user:p?ss@h.com/p', 'h.com/p'],
  ['token@h.com/p?q', 'h.com/p'],
  ['user:1234@h.com:80/p', 'h.com:80/p'],
  ['h.com:8080/models/m@1', 'h.com:8080/models/m@1'],
  ['models/m@1', 'models/m@1'],
  ['m:generateContent?key=a@b', 'b'],
  ['https:user:pass@h.com/p', 'https://h.com/p'],
  ['https:\\\\user:pass@h.com/p', 'https://h.com/p'],
  ['\\\\user:pass@h.com/p', '//h.com/p'],
  ['own://user:pass@h.com/p', 'own://h.com/p'],
  ['own:/user:pass@h.com/p', 'h.com/p'],
  ['own:\\\\user:pass@h.com/p', 'h.com/p'],
  ['https://host/path@here', 'https://host/path@here'],
] as const)('%s is kept as %s', ([url, plain]) => {
  expect(plainUrl(url)).toBe(plain);
});
