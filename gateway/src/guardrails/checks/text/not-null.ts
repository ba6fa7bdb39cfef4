import { isObject } from '@gatehouse/crds';
import { notNull as entry } from '@gatehouse/crds/guardrails';
import { scalarText } from '../../../lib/scalar-text.ts';
import { type CheckSubject, defineCheck } from '../../contract.ts';

const NOT_BLANK = /\S/;

export const notNull = defineCheck(entry, ({ not }) => (subject) => {
  const { parts } = subject;
  const callsTools = subject.phase === 'output' && hasToolCalls(subject);
  const isNull = !callsTools && !parts.some((part) => NOT_BLANK.test(part));
  const verdict = isNull === not;
  return {
    verdict,
    data: {
      isNull,
      contentType: ['undefined', 'string'][parts.length] ?? 'array',
      textArrayLength: parts.length,
      explanation: explain(isNull, callsTools),
      verdict: verdict ? 'passed' : 'failed',
    },
  };
});

function explain(isNull: boolean, callsTools: boolean): string {
  if (callsTools) return 'The answer calls tools.';
  return isNull ? 'There is no text, or only a blank one.' : 'There is a text.';
}

/** Of the first choice, as texts are; of all blocks and items in answers without choices. */
function hasToolCalls({ response }: CheckSubject): boolean {
  const [choice] = listOf(response?.['choices']);
  const message = isObject(choice) ? choice['message'] : undefined;
  if (isObject(message) && (listOf(message['tool_calls']).length > 0 || isObject(message['function_call'])))
    return true;
  return [...listOf(response?.['content']), ...listOf(response?.['output'])].some(
    (item) => isObject(item) && TOOL_TYPE.test(scalarText(item['type'])),
  );
}

const TOOL_TYPE = /^(?:tool_use|server_tool_use|mcp_tool_use|[a-z_]+_call)$/;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
