import { log as entry } from '@gatehouse/crds/guardrails';
import { defineCheck } from '../../contract.ts';
import { callService, faultOf } from '../../outbound/index.ts';
import { contextOf, headersShown } from './context.ts';
import { compileService } from './service.ts';

export const log = defineCheck(entry, ({ logURL, headers, timeout, forwardHeaders }) => {
  const call = { url: logURL, ...compileService(headers), timeoutMs: timeout, forwardHeaders, answer: 'text' } as const;
  return async (subject, tools) => {
    const context = contextOf(subject);
    const body = { ...context, request: { ...context.request, headers: headersShown(subject) } };
    try {
      await callService({ ...call, body }, { subject, tools });
      return { verdict: true };
    } catch (error) {
      return { verdict: false, error: faultOf(error) };
    }
  };
});
