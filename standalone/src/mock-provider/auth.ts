import type { ReceivedRequest } from './recorder.ts';

/** Whether one of the places where providers look for a key holds exactly this one. */
export function hasCredential({ headers, search }: ReceivedRequest, expected: string): boolean {
  const bearer = /^bearer\s+(.*)$/i.exec(headers.authorization ?? '')?.[1];
  const given = [bearer, headers['x-api-key'], headers['api-key'], headers['x-goog-api-key']];
  return given.includes(expected) || new URLSearchParams(search).get('key') === expected;
}
