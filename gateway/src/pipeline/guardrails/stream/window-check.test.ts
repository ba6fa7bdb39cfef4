import { pii } from '@gatehouse/crds/guardrails';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../errors/index.ts';
import { CHECKS, compileHook } from '../../../guardrails/index.ts';
import { WindowedStream } from '../../../guardrails/stream/index.ts';
import { STREAMS, saidBy } from '../../../guardrails/stream/testing.ts';
import { runCheck, subjectOf } from '../../../guardrails/testing.ts';
import { windowsOf } from './index.ts';
import { runFor } from './testing.ts';

const FILLER = 'some words of an answer without anything personal in them, '.repeat(12);
const KEY = `sk-${'proj'}-${'Oj37HyQz'.repeat(20)}`;
const LINE = `${'MIIEvQIBADANBgkq'.repeat(4)}\n`;
const PEM = `-----BEGIN ${'PRIVATE'} KEY-----\n${LINE.repeat(26)}QUJD\n-----END ${'PRIVATE'} KEY-----`;
const ENCRYPTED = `-----BEGIN RSA ${'PRIVATE'} KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-256-CBC,${'0A1B2C3D'.repeat(4)}

${LINE.repeat(26)}QUJD
-----END RSA ${'PRIVATE'} KEY-----`;
const ARMORED = `-----BEGIN PGP ${'PRIVATE'} KEY BLOCK-----
Comment: made for a test of windows

${LINE.repeat(40)}=aBcD
-----END PGP ${'PRIVATE'} KEY BLOCK-----`;
const PROSE = `-----BEGIN ${'PRIVATE'} KEY-----, that is how it begins`;
const LONG_TOKEN = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIi${'Oiam'.repeat(2_000)}.${'c2ln'.repeat(12)}`;
const TOKEN = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIi${'Oiam'.repeat(300)}.${'c2ln'.repeat(12)}`;

const hookWith = (window: number) =>
  compileHook(
    {
      type: 'guardrail',
      deny: false,
      window,
      checks: [
        { id: 'default.pii', enabled: true, failOnError: false, parameters: pii.parameters.parse({ redact: true }) },
      ],
    },
    { checks: CHECKS, id: 'redact', scope: 'request' },
  );

/** What a client gets of the text, sent in pieces. */
async function streamed(text: string, { window, piece }: { window: number; piece: number }): Promise<string> {
  const windows = windowsOf([hookWith(window)], {
    protocol: 'chat',
    run: runFor('chat'),
    refuse: () => new AppError('GUARDRAIL_DENIED'),
  });
  if (windows === undefined) throw new Error('the hook has no window');
  const pieces = text.match(new RegExp(`[\\s\\S]{1,${piece}}`, 'g')) ?? [];
  const stream = new WindowedStream('chat', windows);
  const sent = [await stream.push(Buffer.from(STREAMS.chat(pieces))), await stream.end()];
  return saidBy('chat', Buffer.concat(sent.flatMap(({ pieces }) => pieces)).toString()).pieces;
}

/** What a check of the whole makes of it. */
async function whole(text: string): Promise<string> {
  const { transformed } = await runCheck('default.pii', { redact: true }, subjectOf([text], { phase: 'output' }));
  return (transformed?.kind === 'parts' ? transformed.parts[0] : undefined) ?? text;
}

describe('windows that redact personal data', () => {
  test.for([
    ['a key', KEY],
    ['a private key', PEM],
    ['an encrypted private key', ENCRYPTED],
    ['an armored private key', ARMORED],
    ['a private key with words in it', `${PROSE}: ${FILLER}\n${PEM.slice(30)}`],
    ['a token', TOKEN],
    ['a long token', LONG_TOKEN],
  ])('let nothing of %s leave', async ([, secret = '']) => {
    const text = `${FILLER}here: ${secret} ${FILLER}`;
    for (const window of [16, 40, 64, 100, 1_000]) {
      expect(await streamed(text, { window, piece: 7 })).toBe(`${FILLER}here: [SECRET_1] ${FILLER}`);
    }
  });

  test('number placeholders on, and give a value the one that it had', async () => {
    const text = `one@a.com, ${FILLER}two@b.com, ${FILLER}one@a.com, ${FILLER}two@b.com`;
    expect(await streamed(text, { window: 64, piece: 5 })).toBe(
      `[EMAIL_ADDRESS_1], ${FILLER}[EMAIL_ADDRESS_2], ${FILLER}[EMAIL_ADDRESS_1], ${FILLER}[EMAIL_ADDRESS_2]`,
    );
  });

  test('give what a check of the whole gives', { timeout: 60_000 }, async () => {
    const piece = fc.constantFrom(
      ...['one@a.com ', 'two@b.com, ', '10.1.2.3', ' tel +49 30 901820 ', ' 4111 1111 1111 1111 ', ` ${KEY} `, ' '],
      ...[
        PROSE,
        ` ${PEM.slice(0, 300)}\n`,
        ` ${ENCRYPTED.slice(0, 300)} `,
        ` ${LONG_TOKEN} `,
        LONG_TOKEN.slice(0, 5_000),
      ],
      ...[
        ` ${KEY.slice(0, 90)}\n`,
        ` ${TOKEN} `,
        ` ${PEM}\n`,
        ` ${ENCRYPTED}\n`,
        ` ${ARMORED}\n`,
        FILLER,
        FILLER.slice(0, 200),
        'x'.repeat(70),
        'a word ',
      ],
    );
    await fc.assert(
      fc.asyncProperty(
        ...([
          fc
            .array(piece, { maxLength: 14 })
            .map((pieces) => pieces.join(''))
            .filter((text) => text.length < 20_000), // changes of more may be too near to each other, which cuts the stream
          fc.integer({ min: 16, max: 600 }),
          fc.integer({ min: 1, max: 200 }),
        ] as const),
        async (text, window, piece) => {
          expect(await streamed(text, { window, piece })).toBe(await whole(text));
        },
      ),
      { numRuns: 60 },
    );
  });
});
