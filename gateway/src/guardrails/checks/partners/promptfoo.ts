/** Source: https://www.promptfoo.dev/docs/guardrails */
import { partners } from '@gatehouse/crds/guardrails';
import {
  definePartner,
  eachText,
  listAt,
  needBoolean,
  needObject,
  numberAt,
  once,
  replaceSpans,
  replaceTexts,
  textAt,
} from './engine/index.ts';

const service = { onError: true, host: 'https://api.promptfoo.dev' } as const;
const resultOf = (reply: unknown) => needObject(reply, 'result', 'results', 0);

export const promptfooGuard = definePartner(partners.promptfooGuard, {
  ...service,
  empty: 'asked',
  path: '/v1/guard',
  bodies: once(({ subject }) => ({ input: subject.text })),
  read: ([reply]) => {
    const data = resultOf(reply);
    const categories = needObject(data, 'categories', 'categories');
    return { verdict: categories['jailbreak'] !== true, data };
  },
});

export const promptfooHarm = definePartner(partners.promptfooHarm, {
  ...service,
  empty: 'asked',
  path: '/v1/harm',
  bodies: once(({ subject }) => ({ input: subject.text })),
  read: ([reply]) => {
    const data = resultOf(reply);
    return { verdict: !needBoolean(data, 'flagged', 'flagged'), data };
  },
});

const spansOf = (result: unknown) =>
  listAt(result, 'payload', 'pii').map((found) => ({
    start: numberAt(found, 'start') ?? -1,
    end: numberAt(found, 'end') ?? -1,
    kind: textAt(found, 'entity_type') ?? 'PII',
  }));

export const promptfooPii = definePartner(partners.promptfooPii, {
  ...service,
  empty: true,
  path: '/v1/pii',
  bodies: eachText((text) => ({ input: text })),
  read: (replies, { parameters, subject, texts }) => {
    const data = replies.map(resultOf);
    const flagged = data.map((result) => needBoolean(result, 'flagged', 'flagged'));
    if (!flagged.includes(true)) return { verdict: true, data };
    const spans = data.map((result, i) => (flagged[i] === true ? spansOf(result) : []));
    // What was found at no known position cannot be redacted.
    const canRedact = flagged.every((isFlagged, i) => !isFlagged || (spans[i]?.length ?? 0) > 0);
    if (!parameters.redact || !canRedact) return { verdict: false, data };
    const redacted = texts.map(({ text }, i) => replaceSpans(text, spans[i] ?? [], (_, { kind }) => `[${kind}]`));
    return { verdict: true, data, transformed: replaceTexts(subject, texts, redacted) };
  },
});
