// dap_testsupport.js - drives `ebb dap` with VS Code's own test client: node dap_testsupport.js EBB JOB, a JSON object
//   {launch, source, line, function, expression}; prints what was seen as one JSON object.
'use strict';
const { DebugClient } = require('@vscode/debugadapter-testsupport');

async function main(ebb, job) {
    const client = new DebugClient(ebb, 'dap', 'ebb', { cwd: job.cwd });
    const seen = { output: '' };
    client.on('output', event => { if (event.body.category === 'stdout') seen.output += event.body.output; });
    await client.start();
    client.defaultTimeout = 60000;

    seen.capabilities = (await client.initializeRequest()).body;
    const initialized = client.waitForEvent('initialized');
    const launched = client.launchRequest(job.launch);
    await initialized;
    seen.breakpoints = (await client.setBreakpointsRequest({ source: { path: job.source }, breakpoints: [{ line: job.line }] })).body.breakpoints;
    const atBreakpoint = client.waitForEvent('stopped');
    await client.configurationDoneRequest();
    await launched;
    const threadId = (await atBreakpoint).body.threadId;

    const where = async () => {
        const frame = (await client.stackTraceRequest({ threadId, levels: 1 })).body.stackFrames[0];
        return { name: frame.name, line: frame.line, path: frame.source && frame.source.path, id: frame.id };
    };
    const move = async (request, args) => {
        const stopped = client.waitForEvent('stopped');
        await client.send(request, { threadId, ...args });
        const event = await stopped;
        return { reason: event.body.reason, ...await where() };
    };
    const value = async () => {
        const { id } = await where();
        return (await client.evaluateRequest({ expression: job.expression, frameId: id, context: 'watch' })).body.result;
    };

    seen.threads = (await client.threadsRequest()).body.threads.map(t => t.name);
    seen.first = await where();
    seen.depth = (await client.stackTraceRequest({ threadId })).body.stackFrames.length;
    const scopes = (await client.scopesRequest({ frameId: seen.first.id })).body.scopes;
    seen.variables = [];
    for (const scope of scopes.filter(s => !s.expensive))
        for (const v of (await client.variablesRequest({ variablesReference: scope.variablesReference })).body.variables)
            seen.variables.push([v.name, v.value]);
    seen.before = await value();
    seen.next = await move('next');
    seen.after = await value();
    seen.back = await move('stepBack');
    seen.again = await value();
    do // a live program's past ends where it was: from there it goes on
        seen.out = await move('stepOut');
    while (seen.out.reason === 'history end');
    seen.second = await move('continue');
    seen.reverse = await move('reverseContinue');
    seen.functions = (await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: job.function }] })).body.breakpoints.length;
    await client.setFunctionBreakpointsRequest({ breakpoints: [] });
    await client.setBreakpointsRequest({ source: { path: job.source }, breakpoints: [] });
    do {
        const ended = Promise.race([client.waitForEvent('terminated'), client.waitForEvent('stopped')]);
        await client.continueRequest({ threadId });
        seen.end = await ended;
    } while (seen.end.event === 'stopped' && !job.launch.recording && seen.end.body.reason === 'history end');
    return seen;
}

main(process.argv[2], JSON.parse(process.argv[3])).then(
    seen => { console.log(JSON.stringify(seen)); process.exit(0); } /* which ends `ebb dap`, too */,
    error => { console.error(error.stack || String(error)); process.exit(1); });
