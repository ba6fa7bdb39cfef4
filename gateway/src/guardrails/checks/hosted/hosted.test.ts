import { describe, expect, test } from 'vitest';
import { AppError } from '../../../errors/index.ts';
import { Secret } from '../../../lib/secret.ts';
import type { SideAnswer, SideRequest } from '../../../providers/contract.ts';
import { outcomeOf, runCheck, subjectOf, toolsOf } from '../../testing.ts';

interface World {
  readonly status?: number;
  readonly isAway?: boolean;
  readonly parts?: readonly string[];
  readonly credential?: ReadonlyMap<string, Secret>;
}

const credential = new Map([
  ['apiKey', new Secret<string>('key-1')],
  ['baseURL', new Secret<string>('https://checks.example/')],
]);

async function run(id: string, parameters: object, reply: unknown, world: World = {}) {
  const sent: SideRequest[] = [];
  const fetch = async (request: SideRequest): Promise<SideAnswer> => {
    sent.push(request);
    if (world.isAway) throw new AppError('UPSTREAM_UNREACHABLE');
    const text = typeof reply === 'string' ? reply : JSON.stringify(reply);
    return { status: world.status ?? 200, headers: {}, body: Buffer.from(text) };
  };
  const options = { tools: toolsOf({ fetch }), credential: world.credential ?? credential };
  return { answer: await runCheck(id, parameters, subjectOf(world.parts ?? ['hi']), options), sent };
}

const labelled = (label: string) => [[{ label, score: 0.9 }]];
const moderated = (...flagged: string[]) => ({
  results: [
    {
      flagged: flagged.length > 0,
      categories: { hate: flagged.includes('hate'), violence: flagged.includes('violence') },
      category_scores: { hate: flagged.includes('hate') ? 0.6 : 0.1, violence: 0.2 },
    },
  ],
});
const pii = (text: string, ...labels: string[]) => ({
  entities: labels.map((label) => ({ text: 'x', labels: [label] })),
  processed_text: text,
});

const MAIL = { categories: ['EMAIL_ADDRESS'] };
const HATE = { categories: ['hate'] };

describe('a hosted check', () => {
  test.for<[id: string, rule: string, parameters: object, reply: unknown, want: string]>([
    ['gw.moderateContent', 'passes without findings', HATE, moderated(), 'T'],
    ['gw.moderateContent', 'passes with findings of other categories', HATE, moderated('violence'), 'T'],
    ['gw.moderateContent', 'fails with a finding', HATE, moderated('hate'), 'F'],
    ['gw.moderateContent', 'turns around', { ...HATE, not: true }, moderated('hate'), 'T'],
    ['gw.moderateContent', 'turns around without findings', { ...HATE, not: true }, moderated(), 'F'],
    ['gw.moderateContent', 'cannot read another form', HATE, { results: [] }, 'F e'],
    ['gw.language', 'passes in the language', { language: 'eng_Latn' }, labelled('eng_Latn'), 'T'],
    ['gw.language', 'passes in one of them', { language: ['deu_Latn', 'eng_Latn'] }, labelled('eng_Latn'), 'T'],
    ['gw.language', 'fails in another', { language: ['deu_Latn'] }, labelled('eng_Latn'), 'F'],
    ['gw.language', 'compares whole codes', { language: 'eng_Latn' }, labelled('eng'), 'F'],
    ['gw.language', 'turns around', { language: 'eng_Latn', not: true }, labelled('eng_Latn'), 'F'],
    ['gw.language', 'cannot read another form', { language: 'eng_Latn' }, [], 'F e'],
    ['gw.gibberish', 'passes when clean', {}, labelled('clean'), 'T'],
    ['gw.gibberish', 'fails otherwise', {}, labelled('noise'), 'F'],
    ['gw.gibberish', 'turns around', { not: true }, labelled('noise'), 'T'],
    ['gw.gibberish', 'turns around when clean', { not: true }, labelled('clean'), 'F'],
    ['gw.gibberish', 'cannot read another form', {}, { label: 'clean' }, 'F e'],
    ['gw.gibberish', 'cannot read text', {}, '<html>', 'F e'],
    ['gw.pii', 'passes without findings', MAIL, [pii('hi')], 'T'],
    ['gw.pii', 'passes with findings of other categories', MAIL, [pii('x', 'NAME')], 'T'],
    ['gw.pii', 'fails with a finding', MAIL, [pii('x', 'EMAIL_ADDRESS')], 'F'],
    ['gw.pii', 'passes when it redacts', { ...MAIL, redact: true }, [pii('x', 'EMAIL_ADDRESS')], 'T'],
    ['gw.pii', 'turns around', { ...MAIL, not: true }, [pii('x', 'EMAIL_ADDRESS')], 'T'],
    ['gw.pii', 'cannot read another number of texts', MAIL, [], 'F e'],
    ['gw.dataservice', 'always passes', {}, '', 'T'],
    ['default.moderation', 'passes when nothing is flagged', {}, moderated(), 'T'],
    ['default.moderation', 'fails when anything is flagged', {}, moderated('violence'), 'F'],
    ['default.moderation', 'looks at its categories alone', HATE, moderated('violence'), 'T'],
    ['default.moderation', 'fails from the threshold on', { threshold: 0.6 }, moderated('hate'), 'F'],
    ['default.moderation', 'passes below the threshold', { threshold: 0.61 }, moderated('hate'), 'T'],
    ['default.moderation', 'turns around', { not: true }, moderated('hate'), 'T'],
    ['default.moderation', 'cannot read another form', {}, {}, 'F e'],
  ])('%s %s', async ([id, , parameters, reply, want]) => {
    expect(outcomeOf((await run(id, parameters, reply)).answer)).toBe(want);
  });

  const ALL: readonly (readonly [id: string, parameters: object])[] = [
    ['gw.moderateContent', HATE],
    ['gw.language', { language: 'eng_Latn' }],
    ['gw.gibberish', {}],
    ['gw.pii', MAIL],
    ['default.moderation', {}],
  ];

  test.for(ALL)('%s cannot decide without an answer, and shows no credential', async ([id, parameters]) => {
    for (const world of [{ status: 500 }, { status: 401 }, { isAway: true }]) {
      const { answer } = await run(id, parameters, { message: 'bad key key-1' }, world);
      expect(outcomeOf(answer)).toBe('F e');
      expect(JSON.stringify(answer)).not.toContain('key-1');
    }
  });

  test.for(ALL)('%s calls nothing without a text', async ([id, parameters]) => {
    const { answer, sent } = await run(id, parameters, {}, { parts: [''] });
    expect([answer.error?.name, sent.length]).toEqual(['EmptyText', 0]);
  });

  test('calls the service with its credential, and not without', async () => {
    const { sent } = await run('gw.gibberish', {}, labelled('clean'));
    expect(sent).toMatchObject([
      {
        url: 'https://checks.example/v1/execute-guardrails/gibberish',
        headers: { 'x-gw-api-key': 'key-1' },
        body: '{"input":"hi"}',
      },
    ]);
    const without = await run('gw.gibberish', {}, labelled('clean'), { credential: new Map() });
    expect([outcomeOf(without.answer), without.sent.length]).toEqual(['F e', 0]);
  });

  test('replaces the texts in which personal data was found', async () => {
    const parts = ['', 'a@b.example', 'hi'];
    const reply = [pii('[EMAIL_ADDRESS_1]', 'EMAIL_ADDRESS'), pii('hi')];
    const { answer, sent } = await run('gw.pii', { ...MAIL, redact: true }, reply, { parts });
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({ input: ['a@b.example', 'hi'], categories: ['EMAIL_ADDRESS'] });
    expect(answer.transformed).toEqual({ kind: 'parts', parts: [undefined, '[EMAIL_ADDRESS_1]', undefined] });
  });

  test('asks any endpoint for moderation', async () => {
    const parameters = { url: 'http://own.example/v1/moderations', model: 'own' };
    const { sent } = await run('default.moderation', parameters, moderated());
    expect(sent).toMatchObject([
      { url: parameters.url, headers: { authorization: 'Bearer key-1' }, body: '{"model":"own","input":"hi"}' },
    ]);
  });
});
