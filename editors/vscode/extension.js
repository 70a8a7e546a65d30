// ebb in VS Code: starts `ebb dap`, and gives buttons, keys and menus to what the protocol has no words for.
'use strict';
const vscode = require('vscode');

// ---- the adapter

class Adapters {
    createDebugAdapterDescriptor(session) {
        const path = vscode.workspace.getConfiguration('ebb').get('path', 'ebb');
        return new vscode.DebugAdapterExecutable(path, ['dap'], { cwd: session.workspaceFolder && session.workspaceFolder.uri.fsPath });
    }
}

class Configurations {
    resolveDebugConfiguration(folder, config) {
        if (!config.type && !config.request && !config.name)
            return undefined; // no launch.json: VS Code offers to make one
        if (typeof config.pid === 'string')
            config.pid = Number(config.pid);
        if (config.showPositions === undefined)
            config.showPositions = true;
        if (config.request === 'launch' && config.record === undefined && config.mode !== 'native')
            config.record = true;
        return config;
    }
}

// ---- asking

function active() {
    const session = vscode.debug.activeDebugSession;
    return session && session.type === 'ebb' ? session : undefined;
}

async function ask(request, args) {
    const session = active();
    if (!session)
        return undefined;
    try {
        return await session.customRequest(request, args || {});
    } catch (why) {
        vscode.window.showErrorMessage(`ebb: ${why.message || why}`);
        return undefined;
    }
}

function place() {
    const item = vscode.debug.activeStackItem;
    return { threadId: (item && item.threadId) || 1, frameId: item && item.frameId };
}

// The expression that a command is about: the variable whose menu it was chosen from, or one that is typed.
async function expressionOf(chosen, prompt) {
    const variable = chosen && chosen.variable;
    if (variable && (variable.evaluateName || variable.name))
        return variable.evaluateName || variable.name;
    const editor = vscode.window.activeTextEditor;
    const word = editor && editor.document.getText(editor.selection);
    return vscode.window.showInputBox({ prompt, value: word || '' });
}

// ---- the commands

async function lastWrite(chosen) {
    const expression = await expressionOf(chosen, 'The last write to what?');
    const found = expression && await ask('ebb/lastWrite', { ...place(), expression });
    if (found)
        vscode.window.setStatusBarMessage(`${expression}: ${found.old} → ${found.new} at ${found.position}`, 10000);
}

async function values(chosen) {
    const expression = await expressionOf(chosen, 'All values of what?');
    const found = expression && await ask('ebb/values', { ...place(), expression });
    if (!found)
        return;
    const items = found.values.map(v => ({ label: v.value, description: v.position, position: v.position }));
    const wanted = await vscode.window.showQuickPick(items, { title: `All values of ${expression}`, placeHolder: 'Choose one to go to where it was written' });
    if (wanted)
        await ask('ebb/goto', { position: wanted.position });
}

async function bisect() {
    const expression = await vscode.window.showInputBox({ prompt: 'A condition that held once and does not hold now' });
    if (expression)
        await ask('ebb/bisect', { ...place(), expression });
}

async function goTo() {
    const known = await ask('ebb/bookmarks') || { bookmarks: [] };
    const items = ['start', 'end'].map(label => ({ label, description: '' }))
        .concat(known.bookmarks.map(b => ({ label: b.name, description: `${b.position} ${b.note || ''}` })));
    items.push({ label: 'A position ...', description: 'TIMESTAMP@FILE:LINE, or a timestamp', asks: true });
    const wanted = await vscode.window.showQuickPick(items, { placeHolder: 'Go to which moment?' });
    const position = wanted && wanted.asks ? await vscode.window.showInputBox({ prompt: 'Position' }) : wanted && wanted.label;
    if (position)
        await ask('ebb/goto', { position });
}

async function bookmark() {
    const name = await vscode.window.showInputBox({ prompt: 'A name for this position' });
    if (name)
        await ask('ebb/bookmark', { name });
}

async function branch() {
    const sure = await vscode.window.showWarningMessage('The recorded future is dropped, and the program runs live from here.', { modal: true }, 'Run live');
    const done = sure && await ask('ebb/branch');
    if (done && done.undone)
        vscode.window.showWarningMessage(`Could not be put back: ${done.undone}`);
}

async function openRecording(uri) {
    const chosen = uri ? [uri] : await vscode.window.showOpenDialog({ filters: { Recordings: ['ebb'] } });
    if (chosen)
        await vscode.debug.startDebugging(undefined, { type: 'ebb', request: 'launch', name: 'Recording', recording: chosen[0].fsPath });
}

function activate(context) {
    const commands = {
        'ebb.reverseStepIn': () => ask('ebb/reverseStepIn', place()),
        'ebb.reverseStepOut': () => ask('ebb/reverseStepOut', place()),
        'ebb.lastWrite': lastWrite, 'ebb.values': values, 'ebb.bisect': bisect, 'ebb.goto': goTo, 'ebb.bookmark': bookmark,
        'ebb.branch': branch, 'ebb.openRecording': openRecording,
    };
    for (const [name, run] of Object.entries(commands))
        context.subscriptions.push(vscode.commands.registerCommand(name, run));
    context.subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory('ebb', new Adapters()),
        vscode.debug.registerDebugConfigurationProvider('ebb', new Configurations()));
}

module.exports = { activate, deactivate() {} };
