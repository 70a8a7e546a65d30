// dap_every_request.js - sends every request of the protocol that ebb knows, as VS Code's own test client does: node dap_every_request.js EBB JOB, a JSON
// object {launch, source, line, function, expression}; prints for each request whether it was answered, or why not.
'use strict';
const { DebugClient } = require('@vscode/debugadapter-testsupport');

async function main(ebb, job) {
    const client = new DebugClient(ebb, 'dap', 'ebb', { cwd: job.cwd });
    const seen = {};
    client.defaultTimeout = 60000;
    await client.start();
    const ask = async (request, args) => {
        const answer = await client.send(request, args).then(response => ({ body: response.body || {} }), error => ({ refused: error.message }));
        if (!answer.refused || !seen[request])
            seen[request] = answer.refused ? { refused: answer.refused } : {};
        return answer.body;
    };
    const move = async (request, args) => {
        const stopped = Promise.race([client.waitForEvent('stopped'), client.waitForEvent('terminated')]);
        const refused = await ask(request, args) === undefined;
        return refused ? null : (await stopped).body;
    };

    const capabilities = [];
    client.on('capabilities', event => capabilities.push(event.body.capabilities));
    const told = await ask('initialize', { clientID: 'test', adapterID: 'ebb', linesStartAt1: true, columnsStartAt1: true, pathFormat: 'path', supportsProgressReporting: true, supportsInvalidatedEvent: true });
    const initialized = client.waitForEvent('initialized');
    const launched = ask('launch', job.launch);
    await initialized;
    const source = { path: job.source };
    await ask('setBreakpoints', { source, breakpoints: [{ line: job.line, condition: '1 == 1' }] });
    await ask('setFunctionBreakpoints', { breakpoints: [] });
    await ask('setExceptionBreakpoints', { filters: [] });
    await ask('breakpointLocations', { source, line: job.line });
    let stopped = client.waitForEvent('stopped');
    await ask('configurationDone');
    await launched;
    const threadId = (await stopped).body.threadId;
    const frame = async () => (await ask('stackTrace', { threadId, startFrame: 0, levels: 1 }) || { stackFrames: [{ id: 0 }] }).stackFrames[0];

    await ask('threads');
    let top = await frame();
    const scopes = (await ask('scopes', { frameId: top.id })).scopes;
    await ask('variables', { variablesReference: scopes[0].variablesReference });
    await ask('evaluate', { expression: job.expression, frameId: top.id, context: 'watch' });
    await ask('completions', { text: job.expression.slice(0, 1), column: 2, frameId: top.id });
    const change = (request, args) => job.launch.recording ? undefined : ask(request, args); // what is changed in the past is a state that never was
    await change('setExpression', { expression: job.expression, value: '1', frameId: top.id });
    await change('setVariable', { variablesReference: scopes.find(s => s.name === 'Arguments').variablesReference, name: job.argument, value: '2' });
    const data = await ask('dataBreakpointInfo', { name: job.expression, frameId: top.id });
    await ask('setDataBreakpoints', { breakpoints: [] });
    await ask('setInstructionBreakpoints', { breakpoints: [] });
    await ask('stepInTargets', { frameId: top.id });
    const targets = (await ask('gotoTargets', { source, line: job.line }) || {}).targets;
    if (targets && !job.launch.recording) // there, such a state never was
        await move('goto', { threadId, targetId: targets[0].id });
    await ask('exceptionInfo', { threadId });
    await ask('disassemble', { memoryReference: top.instructionPointerReference, instructionCount: 4 });
    const memoryReference = job.isNative ? top.instructionPointerReference : '0x1000';
    const memory = await ask('readMemory', { memoryReference, count: 4 });
    await change('writeMemory', { memoryReference, data: (memory && memory.data) || 'AAAA' });
    await ask('modules', {});
    await ask('loadedSources', {});
    await ask('source', { source, sourceReference: 0 });
    await ask('cancel', { requestId: 9999 });
    const toBreakpoint = async () => { // a live program's past ends where it was: from there it goes on
        for (let i = 0, stop; i < 4 && !(stop && stop.reason === 'breakpoint'); i++)
            stop = await move('continue', { threadId });
    };
    await move('next', { threadId });
    await move('stepBack', { threadId });
    await move('stepIn', { threadId, granularity: 'instruction' });
    await move('stepBack', { threadId, granularity: 'instruction' });
    await ask('ebb/bookmark', { name: 'here' });
    await ask('ebb/bookmarks');
    await ask('ebb/historySpan');
    await toBreakpoint();
    await move('stepOut', { threadId });
    await toBreakpoint();
    top = await frame();
    await ask('ebb/values', { expression: job.global, frameId: top.id });
    await ask('ebb/origin', { expression: job.argument, frameId: top.id });
    await move('ebb/lastWrite', { expression: job.global, frameId: top.id });
    await toBreakpoint();
    await move('ebb/bisect', { expression: `${job.global} == 0`, frameId: (await frame()).id });
    await toBreakpoint();
    await move('ebb/reverseStepIn', { threadId });
    await move('ebb/goto', { position: 'here' });
    await toBreakpoint();
    await move('ebb/reverseStepOut', { threadId });
    await move('reverseContinue', { threadId });
    if (!job.launch.recording)
        await move('ebb/branch', {});
    await ask('pause', { threadId });
    await ask('restart', {});
    await ask('terminate', {});
    await ask('disconnect', {});
    return { seen, capabilities: Object.assign({}, told, ...capabilities), dataId: data && data.dataId };
}

main(process.argv[2], JSON.parse(process.argv[3])).then(
    seen => { console.log(JSON.stringify(seen)); process.exit(0); },
    error => { console.error(error.stack || String(error)); process.exit(1); });
