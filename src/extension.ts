import "./vscode/shell/translations.ts";
import * as vscode from "vscode";
import { LocalGatewayControl } from "./core/account/localGateway/localGatewayControl.ts";
import type { Profile } from "./core/account/profile.ts";
import type { ErrorFacts } from "./core/kernel/errors.ts";
import type { Log } from "./core/kernel/log.ts";
import type { Ledger } from "./core/responses/usage/ledger.ts";
import { Redaction } from "./core/account/redaction.ts";
import { SecretVault } from "./core/account/secretVault.ts";
import type { CredentialSupplier } from "./core/account/secretVault.ts";
import type { Records, RecordsFile } from "./storage/records/recordsFile.ts";
import { registerAgentTools } from "./vscode/agentTools/registerAgentTools.ts";
import { registerStatusBar } from "./vscode/account/registerStatusBar.ts";
import type { LinkTargets } from "./vscode/panel/followLink.ts";
import { registerChat } from "./vscode/panel/registerChat.ts";
import { ModelMemory } from "./vscode/account/modelMemory.ts";
import type { ClientFactory, Clients } from "./vscode/shell/clientFactory.ts";
import type { CredentialSupply } from "./vscode/account/credentials/credentialSupply.ts";
import {
  registerCredentialCommands,
  registerCredentialContextKeys,
} from "./vscode/account/credentials/credentialCommands.ts";
import type { CheckCredential } from "./vscode/account/credentials/checkCredential.ts";
import { createSecretIndex } from "./vscode/account/credentials/secretStorage.ts";
import {
  createLocalGatewayHost,
  startLocalGatewayOnDemand,
  registerLocalGateway,
} from "./vscode/account/localGateway/localGatewayHost.ts";
import { registerDiagnosis } from "./vscode/diagnosis/registerDiagnosis.ts";
import { registerCommands, registerCommandMenus } from "./vscode/shell/registerCommands.ts";
import { registerNativeChat } from "./vscode/nativeChat/registerNativeChat.ts";
import { OutputLog } from "./vscode/shell/log.ts";
import { registerProfileCommands } from "./vscode/account/profiles/profileCommands.ts";
import { Profiles } from "./vscode/account/profiles/profiles.ts";
import { reachModel, registerServers, registerSignedRequest } from "./vscode/servers/registerServers.ts";

/** The composition root: builds everything bottom-up and registers it. Network and disk code is loaded on demand. */
export function activate(context: vscode.ExtensionContext): TestHandle | undefined {
  const { subscriptions, globalState, workspaceState, extensionUri, globalStorageUri } = context;

  const redaction = new Redaction();
  const log = new OutputLog(redaction);
  const profiles = new Profiles(log, context);
  const supplier = createSupplier(context, profiles, redaction, log, (name) => vault.sourceChanged(name));
  const vault: SecretVault = createVault(context, redaction, supplier);
  const records = createRecords(globalStorageUri, log);
  const ledger = loadLedger(records, context, redaction, log, profiles);
  const clients = createClients(context, log, vault, profiles, ledger, (profile) =>
    reachModel(context, servers.load, profile),
  );
  loadNetworkCodeLater(subscriptions, profiles);
  const gateway = new LocalGatewayControl(
    createLocalGatewayHost(startLocalGatewayOnDemand, profiles, vault, globalState),
  );
  const models = new ModelMemory(globalState);
  const credentials = { profiles, vault, redaction, log, check: loadLiveCheck(clients) };

  const servers = registerServers({
    ...{ profiles, vault, clients, gateway, log, globalState, workspaceState, records },
    storageUri: globalStorageUri,
    extension: context.extension,
    extensionUri,
    claimNotice: (text) => chat.claimNotice(text),
    requests: async (since) => (await ledger()).totals(since),
  });

  const services = {
    ...{ profiles, vault, clients, models, log, redaction, records, ledger, globalState, workspaceState },
    ...{ extensionUri, storageUri: globalStorageUri, servers: servers.load },
  };
  const chat = registerChat({ ...services, gateway });
  const profileCommands = registerProfileCommands({ ...credentials, clients, extensionUri });

  subscriptions.push(
    log,
    records,
    profiles,
    vault,
    supplier,
    clients,
    profileCommands,
    registerCredentialCommands(credentials),
    registerCredentialContextKeys(profiles, vault),
    chat,
    servers,
    registerStatusBar({ credentials, models, globalState, extension: context.extension }),
    registerCommandMenus(context.extension),
    registerCodeActions(),
    registerLocalGateway({ control: gateway, log }),
    registerDiagnosis({
      extensionUri: context.extensionUri,
      ...{ profiles, vault, clients, models, redaction, log },
      version: version(context),
      extension: context.extension,
      recentLog: () => log.recent(),
    }),
    registerNativeChat({
      ...services,
      extensionId: context.extension.id,
      lastMessage: () => chat.lastMessage(),
    }),
    registerAgentTools({
      ...services,
      version: version(context),
      conversations: () => chat.conversations(),
    }),
    registerSignedRequest({ profiles, clients, redaction, log }),
    registerLinks({ openChat: chat.openWith, openForm: profileCommands.openForm }),
    registerCommands("walkthrough", {
      getStarted: async () =>
        (await import("./vscode/shell/milestones.ts")).openWalkthrough(context.extension.id),
    }),
    registerCommands("log", { showLog: () => log.show() }),
  );
  return context.extensionMode === vscode.ExtensionMode.Test ? { context } : undefined;
}

function registerCodeActions(): vscode.Disposable {
  const { QuickFix, RefactorRewrite } = vscode.CodeActionKind;
  const provider: vscode.CodeActionProvider = {
    provideCodeActions: async (document, range, actions) =>
      (await import("./vscode/compose/editor/codeActions.ts")).provideCodeActions(document, range, actions),
  };
  const providedCodeActionKinds = [QuickFix, RefactorRewrite];
  return vscode.languages.registerCodeActionsProvider("*", provider, { providedCodeActionKinds });
}

/** Links that begin with `vscode://` and the ID of the extension. */
function registerLinks(targets: LinkTargets): vscode.Disposable {
  return vscode.window.registerUriHandler({
    async handleUri(uri) {
      const { followLink } = await import("./vscode/panel/followLink.ts");
      await followLink(uri, targets);
    },
  });
}

/** Loaded when a credential of a profile is needed that a command, a file or a variable supplies. */
function createSupplier(
  { globalState }: vscode.ExtensionContext,
  profiles: Profiles,
  redaction: Redaction,
  log: Log,
  onSourceChanged: (profileName: string) => void,
): CredentialSupplier & vscode.Disposable {
  let supply: Promise<CredentialSupply> | undefined;
  const load = (): Promise<CredentialSupply> =>
    (supply ??= import("./vscode/account/credentials/credentialSupply.ts").then(
      (loaded) => new loaded.CredentialSupply({ profiles, redaction, log, globalState, onSourceChanged }),
    ));
  return {
    obtain: async (...request) => (await load()).obtain(...request),
    allow: async (request) => (await load()).allow(request),
    facts: async (request) => (await supply)?.facts(request),
    dispose: () => void supply?.then((loaded) => loaded.dispose()),
  };
}

function createVault(
  { secrets, globalState }: vscode.ExtensionContext,
  redaction: Redaction,
  supplier: CredentialSupplier,
): SecretVault {
  return new SecretVault({
    supplier,
    store: secrets,
    index: createSecretIndex(globalState),
    redaction,
    now: () => Date.now(),
  });
}

function loadLiveCheck(clients: Clients): CheckCredential {
  return async (...credential) => {
    const { createLiveCheck } = await import("./vscode/account/credentials/liveCheck.ts");
    return createLiveCheck(clients)(...credential);
  };
}

/** The file of what all windows share is opened at its first use. */
function createRecords(storageUri: vscode.Uri, log: Log): Records & vscode.Disposable {
  let file: Promise<RecordsFile> | undefined;
  const load = (): Promise<RecordsFile> =>
    (file ??= import("./vscode/shell/recordsFile.ts").then(({ createRecordsFile }) =>
      createRecordsFile(storageUri, log),
    ));
  return {
    attempt: async (...request) => (await load()).attempt(...request),
    dispose: () => void file?.then((loaded) => loaded.dispose()),
  };
}

/** The usage records are loaded with the first client. */
function loadLedger(
  records: Records,
  { subscriptions, globalState }: vscode.ExtensionContext,
  redaction: Redaction,
  log: Log,
  profiles: Profiles,
): () => Promise<Ledger> {
  let ledger: Promise<Ledger> | undefined;
  return () =>
    (ledger ??= import("./vscode/responses/usage/usageLedger.ts").then(({ createUsageLedger }) =>
      createUsageLedger(records, subscriptions, redaction, log, { profiles, globalState }),
    ));
}

/** The network code takes a noticeable moment to load: not while the window starts, and before the first message. */
function loadNetworkCodeLater(subscriptions: vscode.Disposable[], profiles: Profiles): void {
  const timer = setTimeout(() => {
    if (profiles.all.length > 0) void import("./gateway/http/undiciTransport.ts");
  }, 5_000);
  subscriptions.push({ dispose: () => clearTimeout(timer) });
}

/** The factory is loaded when the first client is needed, because nothing is sent before that. */
function createClients(
  context: vscode.ExtensionContext,
  log: Log,
  vault: SecretVault,
  profiles: Profiles,
  ledger: () => Promise<Ledger>,
  reach: (profile: Profile) => Promise<void>,
): Clients {
  let factory: Promise<ClientFactory> | undefined;
  const onRefused = (profile: Profile, error: ErrorFacts): void =>
    void import("./vscode/account/credentials/refusalNotices.ts").then(({ reportRefusal }) =>
      reportRefusal(profiles, profile, error),
    );
  const load = (): Promise<ClientFactory> =>
    (factory ??= import("./vscode/shell/configuredClients.ts").then(async ({ createConfiguredClients }) =>
      createConfiguredClients(context, log, vault, await ledger(), {
        onRefused,
        onListed: async (profile, models) =>
          (await import("./vscode/account/listedModels.ts")).rememberListed(
            context.globalState,
            profile,
            models,
          ),
      }),
    ));
  return {
    inference: async (...request) => {
      await reach(request[0]);
      return (await load()).inference(...request);
    },
    listServers: async (...request) => (await load()).listServers(...request),
    sendSigned: async (...request) => (await load()).sendSigned(...request),
    loadImage: async (url) => (await load()).loadImage(url),
    wire: async (profile) => (await load()).wire(profile),
    dispose: () => void factory?.then((loaded) => loaded.dispose()),
  };
}

/**
 * For our own tests inside VS Code, which inspect the real secret storage and state. It isn't exposed to anything else.
 */
interface TestHandle {
  readonly context: vscode.ExtensionContext;
}

function version({ extension }: vscode.ExtensionContext): string {
  const { version: number }: { readonly version?: unknown } = extension.packageJSON;
  return String(number);
}
