/** Source: https://docs.lasso.security */
import { isObject } from '@gatehouse/crds';
import { partners } from '@gatehouse/crds/guardrails';
import type { CheckSubject } from '../../contract.ts';
import { contentText, definePartner, keyHeader, member, messagesOf, needBoolean, needObject } from './engine/index.ts';

interface Message {
  readonly role: string;
  readonly content: string;
}

export const lassoClassify = definePartner(partners.lassoClassify, {
  onError: false,
  empty: 'asked',
  host: 'https://server.lasso.security',
  hostFields: ['apiEndpoint'],
  auth: keyHeader('lasso-api-key'),
  path: '/gateway/v3/classify',
  bodies: ({ subject, parameters: { conversationId, userId } }) => {
    const messages = messagesFor(subject).filter(({ content }) => content !== '');
    if (messages.length === 0) return [];
    const messageType = subject.phase === 'input' ? 'PROMPT' : 'COMPLETION';
    return [{ messages, messageType, sessionId: conversationId, userId }];
  },
  read: ([reply]) => {
    const data = needObject(reply, 'form');
    const isViolating = needBoolean(data, 'violations_detected', 'violations_detected');
    const isBlocking = (finding: unknown): boolean => member(finding, 'action') === 'BLOCK';
    return { verdict: !isViolating || !findingsOf(data['findings']).some(isBlocking), data };
  },
});

function messagesFor(subject: CheckSubject): readonly Message[] {
  if (subject.phase === 'output') return [{ role: 'assistant', content: subject.text }];
  switch (subject.requestType) {
    case 'complete':
    case 'embed':
      return [{ role: 'user', content: subject.text }];
    case 'chatComplete':
    case 'messages':
      return messagesOf(subject.request).map(({ role, content }) => ({
        role: role === 'system' || role === 'assistant' ? role : 'user',
        content: contentText(content),
      }));
    default:
      return [];
  }
}

/** A list of findings, or lists of them by category. */
function findingsOf(findings: unknown): readonly unknown[] {
  if (Array.isArray(findings)) return findings;
  return isObject(findings) ? Object.values(findings).flat() : [];
}
