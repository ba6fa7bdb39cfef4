/** Source: https://docs.catonetworks.com (AI Security, analyze) */
import { partners } from '@gatehouse/crds/guardrails';
import type { JsonObject } from '../../../wire/contract.ts';
import type { CheckSubject } from '../../contract.ts';
import {
  bearer,
  definePartner,
  listAt,
  messagesOf,
  needObject,
  once,
  replaceTexts,
  type TextPart,
  textAt,
} from './engine/index.ts';

export const catoAnalyze = definePartner(partners.catoAnalyze, {
  onError: false,
  empty: 'passes',
  host: 'https://api.aisec.catonetworks.com',
  auth: bearer(),
  headers: ({ parameters: { userEmail, keyAlias } }) => ({
    ...(userEmail !== undefined && { 'x-cato-user-email': userEmail }),
    ...(keyAlias !== undefined && { 'x-cato-gateway-key-alias': keyAlias }),
  }),
  path: '/fw/v1/analyze',
  bodies: once(({ subject, texts }) => ({
    ...(typeof subject.request['model'] === 'string' && { model: subject.request['model'] }),
    messages: [...contextOf(subject), ...checkedMessages(subject, texts)],
  })),
  read: ([reply], { subject, texts }) => {
    const data = needObject(reply, 'form');
    const action = textAt(data, 'required_action', 'action_type');
    if (action === 'block_action') return { verdict: false, data };
    if (action !== 'anonymize_action') return { verdict: true, data };
    const messages = listAt(data, 'redacted_chat', 'all_redacted_messages').slice(-texts.length);
    const redacted = messages.map((message) => textAt(message, 'content'));
    // What should have been anonymized and cannot be written back must not pass.
    if (redacted.length < texts.length || redacted.includes(undefined)) return { verdict: false, data };
    return { verdict: true, data, transformed: replaceTexts(subject, texts, redacted) };
  },
});

/** The conversation in front of what is checked. */
function contextOf({ phase, request }: CheckSubject): readonly JsonObject[] {
  const messages = messagesOf(request);
  return phase === 'input' ? messages.slice(0, -1) : messages;
}

/** One message for each text, so that each can be written back. */
function checkedMessages({ phase, request }: CheckSubject, texts: readonly TextPart[]): readonly object[] {
  const last = messagesOf(request).at(-1)?.['role'];
  const role = phase === 'output' ? 'assistant' : typeof last === 'string' ? last : 'user';
  return texts.map(({ text }) => ({ role, content: text }));
}
