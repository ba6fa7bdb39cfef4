/** Source: https://docs.lakera.ai/api-reference/lakera-api/guard/screen-content */
import { partners } from '@gatehouse/crds/guardrails';
import {
  bearer,
  definePartner,
  listAt,
  member,
  needBoolean,
  numberAt,
  once,
  replaceSpans,
  replaceTexts,
  textAt,
} from './engine/index.ts';

const PII = 'pii/';

export const lakeraGuard = definePartner(partners.lakeraGuard, {
  onError: false,
  empty: 'passes',
  host: 'https://api.lakera.ai',
  hostFields: ['apiBase'],
  auth: bearer(),
  path: '/v2/guard',
  bodies: once(({ subject, parameters, texts }) => {
    const role = subject.phase === 'input' ? 'user' : 'assistant';
    return {
      messages: texts.map(({ text }) => ({ role, content: text })),
      project_id: parameters.projectID,
      payload: true,
      breakdown: true,
    };
  }),
  read: ([reply], { parameters, subject, texts }) => {
    if (!needBoolean(reply, 'flagged', 'flagged')) return { verdict: true, data: reply };
    const detected = listAt(reply, 'breakdown').filter((detector) => member(detector, 'detected') === true);
    const found = listAt(reply, 'payload').map((one) => spanOf(one, parameters.endInclusive));
    const types = [
      ...detected.map((detector) => textAt(detector, 'detector_type') ?? ''),
      ...found.map(({ type }) => type),
    ];
    const isPii = found.length > 0 && types.every((type) => type.startsWith(PII));
    if (!isPii) return { verdict: false, data: reply };
    const redacted = texts.map(({ text }, i) => {
      const spans = found.filter(({ message }) => message === i);
      return replaceSpans(text, spans, (_, { type }) => `[${type.slice(PII.length).toUpperCase()}]`);
    });
    return { verdict: true, data: reply, transformed: replaceTexts(subject, texts, redacted) };
  },
});

const spanOf = (found: unknown, endInclusive: boolean) => ({
  start: numberAt(found, 'start') ?? -1,
  end: (numberAt(found, 'end') ?? -1) + (endInclusive ? 1 : 0),
  type: textAt(found, 'detector_type') ?? '',
  message: numberAt(found, 'message_id') ?? 0,
});
