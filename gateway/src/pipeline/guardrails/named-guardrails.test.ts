import { guardrail, organisation, workspace } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { OPERATIONS, type OperationId } from '../operations/index.ts';
import { viewOf } from '../testing.ts';
import { type GuardedRequest, refuseUnknownGuardrails } from './index.ts';

const CHECKS = [{ id: 'default.contains', parameters: { words: ['x'] } }];
const CALL = { method: 'POST', path: '/v1/chat/completions' };
const CALLER = { workspace: { name: 'team-a' } };

describe('guardrails that do not exist', () => {
  test('are named, each once, whether the config, the organisation or the workspace asks for them', async () => {
    const snapshot = await viewOf(
      organisation({ inputGuardrails: ['gone', 'pii'], outputGuardrails: ['gone'] }),
      workspace('team-a', { defaults: { outputGuardrails: ['lost'] } }),
      guardrail('pii', CHECKS, { workspace: null }),
    );
    const plan: GuardedRequest['resolution']['plan'] = { owner: 'client', guardrails: ['pii', 'odd', 'lost'] };
    const request = {
      exchange: { snapshot, operation: OPERATIONS.chatComplete, request: CALL },
      caller: CALLER,
      resolution: { plan },
    };
    expect(() => refuseUnknownGuardrails(request)).toThrow(
      expect.objectContaining({ code: 'GUARDRAIL_UNKNOWN', message: expect.stringMatching(/: odd, lost, gone$/) }),
    );
  });

  test('are counted where they are many', async () => {
    const guardrails = Array.from({ length: 30 }, (_, i) => `g${i}`);
    const exchange = { snapshot: await viewOf(workspace('team-a')), operation: OPERATIONS.chatComplete, request: CALL };
    const resolution = { plan: { owner: 'client', guardrails } } as const;
    expect(() => refuseUnknownGuardrails({ exchange, caller: CALLER, resolution })).toThrow(/: g0, .*g7 and 22 more$/);
  });

  test('refuse only the operations that guardrails look at', async () => {
    const snapshot = await viewOf(workspace('team-a', { defaults: { inputGuardrails: ['gone'] } }));
    const resolution = { plan: { owner: 'client', guardrails: [] } } as const;
    const refused = (Object.keys(OPERATIONS) as OperationId[]).filter((id) => {
      try {
        const exchange = { snapshot, operation: OPERATIONS[id], request: CALL };
        refuseUnknownGuardrails({ exchange, caller: CALLER, resolution });
        return false;
      } catch {
        return true;
      }
    });
    expect(refused).toEqual([
      'chatComplete',
      'complete',
      'embed',
      'moderate',
      'rerank',
      'imageGenerate',
      'imageEdit',
      'imageVariation',
      'createSpeech',
      'createTranscription',
      'createTranslation',
      'messages',
      'createModelResponse',
      ...['rejectRealtimeCall', 'referRealtimeCall', 'hangupRealtimeCall'],
      ...['createFile', 'listFiles', 'getFile', 'getFileContent', 'deleteFile'],
      ...['createBatch', 'listBatches', 'getBatch', 'getBatchOutput', 'cancelBatch'],
      ...['createFinetune', 'listFinetunes', 'getFinetune', 'listFinetuneEvents', 'listFinetuneCheckpoints'],
      'cancelFinetune',
      ...['createMessageBatch', 'listMessageBatches', 'getMessageBatch', 'getMessageBatchResults'],
      ...['cancelMessageBatch', 'deleteMessageBatch'],
      ...['ollamaChat', 'ollamaGenerate', 'ollamaEmbed', 'ollamaEmbeddings'],
      ...['cohereChat', 'cohereEmbed', 'cohereRerank'],
      ...['geminiGenerateContent', 'geminiStreamGenerateContent', 'geminiEmbedContent', 'geminiBatchEmbedContents'],
      'promptComplete',
      'proxy',
    ]);
  });
});
