import { MANAGEMENT_PREFIXES } from '@gatehouse/crds/rest';
import { describe, expect, test } from 'vitest';
import { OPERATIONS, ROUTES } from './register.ts';

const ANY = 'none,json,form,binary';

const find = (method: string, path: string) =>
  ROUTES.find((route) => route.method === method && route.path === path)?.operation;

describe('the routes of the data plane', () => {
  test.for([
    { method: 'POST', path: '/v1/chat/completions', id: 'chatComplete', streams: 'chat', reads: 'json' },
    { method: 'POST', path: '/v1/completions', id: 'complete', streams: 'completion', reads: 'json' },
    { method: 'POST', path: '/v1/embeddings', id: 'embed', streams: 'events', reads: 'json' },
    { method: 'POST', path: '/v1/moderations', id: 'moderate', streams: 'events', reads: 'json' },
    { method: 'POST', path: '/v1/rerank', id: 'rerank', streams: 'events', reads: 'json' },
    { method: 'POST', path: '/v1/images/generations', id: 'imageGenerate', streams: 'events', reads: 'json' },
    { method: 'POST', path: '/v1/audio/speech', id: 'createSpeech', streams: 'events', reads: 'json' },
    { method: 'POST', path: '/v1/images/edits', id: 'imageEdit', streams: 'events', reads: 'form' },
    { method: 'POST', path: '/v1/images/variations', id: 'imageVariation', streams: 'events', reads: 'form' },
    {
      method: 'POST',
      path: '/v1/audio/transcriptions',
      id: 'createTranscription',
      streams: 'events',
      reads: 'form',
    },
    { method: 'POST', path: '/v1/audio/translations', id: 'createTranslation', streams: 'events', reads: 'form' },
    { method: 'POST', path: '/v1/messages', id: 'messages', streams: 'messages', reads: 'json' },
    {
      method: 'POST',
      path: '/v1/messages/count_tokens',
      id: 'messagesCountTokens',
      streams: 'messages',
      reads: 'json',
    },
    { method: 'POST', path: '/v1/responses', id: 'createModelResponse', streams: 'responses', reads: 'json' },
    {
      method: 'GET',
      path: '/v1/responses/:response_id',
      id: 'getModelResponse',
      streams: 'responses',
      reads: ANY,
    },
    {
      method: 'DELETE',
      path: '/v1/responses/:response_id',
      id: 'deleteModelResponse',
      streams: 'responses',
      reads: ANY,
    },
    {
      method: 'GET',
      path: '/v1/responses/:response_id/input_items',
      id: 'listResponseInputItems',
      streams: 'responses',
      reads: ANY,
    },
    { method: 'POST', path: '/api/chat', id: 'ollamaChat', streams: 'chat', reads: 'json' },
    { method: 'POST', path: '/api/generate', id: 'ollamaGenerate', streams: 'chat', reads: 'json' },
    { method: 'POST', path: '/api/embed', id: 'ollamaEmbed', streams: 'events', reads: 'json' },
    { method: 'POST', path: '/api/embeddings', id: 'ollamaEmbeddings', streams: 'events', reads: 'json' },
    { method: 'POST', path: '/v2/chat', id: 'cohereChat', streams: 'chat', reads: 'json' },
    { method: 'POST', path: '/v2/embed', id: 'cohereEmbed', streams: 'events', reads: 'json' },
    { method: 'POST', path: '/v2/rerank', id: 'cohereRerank', streams: 'events', reads: 'json' },
    ...[
      { call: 'generateContent', id: 'geminiGenerateContent', streams: 'chat' },
      { call: 'streamGenerateContent', id: 'geminiStreamGenerateContent', streams: 'chat' },
      { call: 'countTokens', id: 'geminiCountTokens', streams: 'events' },
      { call: 'embedContent', id: 'geminiEmbedContent', streams: 'events' },
      { call: 'batchEmbedContents', id: 'geminiBatchEmbedContents', streams: 'events' },
    ].map(({ call, ...rest }) => ({
      ...{ method: 'POST', path: `/v1beta/models/:model/${call}`, reads: 'json' },
      ...rest,
    })),
    { method: 'GET', path: '/v1beta/models', id: 'geminiListModels', streams: 'events', reads: ANY },
    { method: 'GET', path: '/api/tags', id: 'ollamaTags', streams: 'events', reads: ANY },
    { method: 'POST', path: '/api/show', id: 'ollamaShow', streams: 'events', reads: 'json' },
    { method: 'GET', path: '/api/ps', id: 'ollamaPs', streams: 'events', reads: ANY },
    { method: 'GET', path: '/api/version', id: 'ollamaVersion', streams: 'events', reads: ANY },
    { method: 'GET', path: '/v1/realtime', id: 'realtime', streams: 'events', reads: 'json' },
    ...[
      { path: 'calls', id: 'createRealtimeCall', reads: 'json,form,binary' },
      { path: 'calls/:call_id/accept', id: 'acceptRealtimeCall', reads: 'none,json' },
      { path: 'calls/:call_id/reject', id: 'rejectRealtimeCall', reads: 'none,json' },
      { path: 'calls/:call_id/refer', id: 'referRealtimeCall', reads: 'json' },
      { path: 'calls/:call_id/hangup', id: 'hangupRealtimeCall', reads: ANY },
      { path: 'client_secrets', id: 'createRealtimeSecret', reads: 'none,json' },
      { path: 'sessions', id: 'createRealtimeSession', reads: 'none,json' },
      { path: 'transcription_sessions', id: 'createTranscriptionSession', reads: 'none,json' },
      { path: 'translations/calls', id: 'createRealtimeTranslationCall', reads: 'json,form,binary' },
      { path: 'translations/client_secrets', id: 'createRealtimeTranslationSecret', reads: 'none,json' },
    ].map(({ path, ...rest }) => ({ method: 'POST', path: `/v1/realtime/${path}`, streams: 'events', ...rest })),
    ...[
      { method: 'POST', path: '/v1/files', id: 'createFile' },
      { method: 'GET', path: '/v1/files', id: 'listFiles' },
      { method: 'GET', path: '/v1/files/:file_id', id: 'getFile' },
      { method: 'GET', path: '/v1/files/:file_id/content', id: 'getFileContent' },
      { method: 'DELETE', path: '/v1/files/:file_id', id: 'deleteFile' },
      { method: 'GET', path: '/v1/batches', id: 'listBatches' },
      { method: 'GET', path: '/v1/batches/:batch_id', id: 'getBatch' },
      { method: 'GET', path: '/v1/batches/:batch_id/output', id: 'getBatchOutput' },
      { method: 'POST', path: '/v1/batches/:batch_id/cancel', id: 'cancelBatch' },
      { method: 'GET', path: '/v1/messages/batches', id: 'listMessageBatches' },
      { method: 'GET', path: '/v1/messages/batches/:batch_id', id: 'getMessageBatch' },
      { method: 'GET', path: '/v1/messages/batches/:batch_id/results', id: 'getMessageBatchResults' },
      { method: 'POST', path: '/v1/messages/batches/:batch_id/cancel', id: 'cancelMessageBatch' },
      { method: 'DELETE', path: '/v1/messages/batches/:batch_id', id: 'deleteMessageBatch' },
      { method: 'GET', path: '/v1/fine_tuning/jobs', id: 'listFinetunes' },
      { method: 'GET', path: '/v1/fine_tuning/jobs/:job_id', id: 'getFinetune' },
      { method: 'GET', path: '/v1/fine_tuning/jobs/:job_id/events', id: 'listFinetuneEvents' },
      { method: 'GET', path: '/v1/fine_tuning/jobs/:job_id/checkpoints', id: 'listFinetuneCheckpoints' },
      { method: 'POST', path: '/v1/fine_tuning/jobs/:job_id/cancel', id: 'cancelFinetune' },
    ].map((route) => ({ ...route, streams: 'events', reads: ANY })),
    { method: 'POST', path: '/v1/batches', id: 'createBatch', streams: 'events', reads: 'json' },
    { method: 'POST', path: '/v1/messages/batches', id: 'createMessageBatch', streams: 'events', reads: 'json' },
    { method: 'POST', path: '/v1/fine_tuning/jobs', id: 'createFinetune', streams: 'events', reads: 'json' },
    { method: 'POST', path: '/v1/logs', id: 'ingestLogs', streams: 'events', reads: 'binary' },
    { method: 'POST', path: '/v1/otel/v1/traces', id: 'ingestSpans', streams: 'events', reads: 'binary' },
    { method: 'GET', path: '/v1/models', id: 'listModels', streams: 'events', reads: ANY },
    ...['GET', 'POST', 'PUT', 'DELETE'].map((method) => ({
      method,
      path: '/v1/*',
      id: 'proxy',
      streams: 'events',
      reads: ANY,
    })),
  ])('$method $path is $id', ({ method, path, id, streams, reads }) => {
    expect(find(method, path)).toMatchObject({ id, streamFormat: streams, bodies: reads.split(',') });
  });

  test('lead to operations registered under their own ids', () => {
    for (const [id, operation] of Object.entries(OPERATIONS)) expect(operation.id).toBe(id);
  });

  test('need completions.write; showing a prompt and listing models have scopes of their own', () => {
    const others = ROUTES.filter(({ operation }) => !operation.scopes.includes('completions.write'));
    expect(others.map(({ operation }) => [operation.id, operation.scopes])).toEqual([
      ['promptRender', ['prompts.render']],
    ]);
    expect(find('GET', '/v1/models')?.scopes).toEqual(['virtual_keys.list', 'models.list', 'completions.write']);
  });

  test('are cached where they are read by a model, never where they are read from a store', () => {
    const cached = ROUTES.filter(({ operation }) => operation.cacheable).map(({ operation }) => operation.id);
    expect(new Set(cached)).toEqual(
      new Set([
        'chatComplete',
        'complete',
        'embed',
        'moderate',
        'rerank',
        'imageGenerate',
        'messages',
        ...['ollamaChat', 'ollamaGenerate', 'ollamaEmbed', 'ollamaEmbeddings'],
        ...['cohereChat', 'cohereEmbed', 'cohereRerank'],
        ...['geminiGenerateContent', 'geminiStreamGenerateContent'],
        ...['geminiEmbedContent', 'geminiBatchEmbedContents'],
        'createModelResponse',
        'promptComplete',
        'proxy',
      ]),
    );
  });

  test('do not route PATCH, and leave the management API alone', () => {
    expect(ROUTES.map(({ method }) => method)).not.toContain('PATCH');
    const managed = ROUTES.filter(({ path }) => MANAGEMENT_PREFIXES.has(path.split('/')[2] ?? ''));
    expect(managed.map(({ operation }) => operation.id)).toEqual([
      'ingestLogs',
      'ingestSpans',
      'promptComplete',
      'promptRender',
    ]);
  });
});
