import { describe, expect, test } from 'vitest';
import { opensRealtimeSession } from './realtime-paths.ts';

describe('a path', () => {
  test.for([
    ...['/realtime/client_secrets', '/v1/realtime/calls/rtc_1/accept', '/openai/realtimeapi/sessions', '/v1/realtime/'],
    ...['/realtime%2fcalls', '/realtime%255Ccalls', '/REALTIME//Calls', '/realtime;x/calls;y', '/realtime/calls%23x'],
    ...[
      '/realtime/c%09alls',
      '/realtime/%E2%80%8Bcalls%20',
      '/realtime/translations/client_secrets',
      '/%25252525252561',
    ],
  ])('%s opens a session', (path) => {
    expect(opensRealtimeSession(path)).toBe(true);
  });

  test.for([
    ...['', '/', '/models', '/files/realtime-x', '/realtimes/calls', '/realtime/voices', '/calls/realtime.json'],
    ...['/a%2Fb%252Fc', '/100%', '/files/realtime%2Fvoices'],
  ])('%s opens none', (path) => {
    expect(opensRealtimeSession(path)).toBe(false);
  });

  test('is read in time that is bounded by its length', () => {
    expect(opensRealtimeSession(`/${'%25'.repeat(20_000)}`)).toBe(false);
    expect(opensRealtimeSession(`/${'/;'.repeat(20_000)}`)).toBe(false);
  });
});
