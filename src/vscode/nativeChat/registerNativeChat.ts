import * as vscode from "vscode";
import type { NativeModel } from "../../core/nativeChat/nativeModel.ts";
import { registerCommands } from "../shell/registerCommands.ts";
import type { CopySetupContext } from "./copySetup.ts";
import type { NativeChatProvider } from "./nativeChatProvider.ts";
import type { RequestHistory } from "./requestHistory.ts";

/** As in package.json. */
const vendor = "inference-gateway";

/** Offers the models to VS Code's own chat. The implementation is loaded when VS Code asks for them. */
export function registerNativeChat(services: CopySetupContext): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  let loading: Promise<NativeChatProvider> | undefined;
  let history: Promise<RequestHistory> | undefined;
  const load = (): Promise<NativeChatProvider> =>
    (loading ??= import("./createNativeChat.ts").then(({ createNativeChat }) => {
      const provider = createNativeChat(services);
      provider.onDidChangeLanguageModelChatInformation(() => changed.fire());
      return provider;
    }));
  const provider: vscode.LanguageModelChatProvider<NativeModel> = {
    onDidChangeLanguageModelChatInformation: changed.event,
    provideLanguageModelChatInformation: async (options) =>
      (await load()).provideLanguageModelChatInformation(options),
    provideLanguageModelChatResponse: async (...request) =>
      (await load()).provideLanguageModelChatResponse(...request),
    provideTokenCount: async (model, text) => (await load()).provideTokenCount(model, text),
  };
  return vscode.Disposable.from(
    vscode.lm.registerLanguageModelChatProvider(vendor, provider),
    registerCommands("nativeChat", {
      manageModelAccess: async () => {
        const { manageModelAccess } = await import("./createNativeChat.ts");
        await manageModelAccess(services.globalState);
      },
      copySetup: async (profile) => {
        const { copySetup } = await import("./copySetup.ts");
        await copySetup(services, profile);
      },
      showRequests: async () => {
        history ??= import("./requestHistory.ts").then(({ RequestHistory }) => new RequestHistory(services));
        await (await history).show();
      },
    }),
    changed,
    {
      dispose() {
        void loading?.then((loaded) => loaded.dispose());
        void history?.then((loaded) => loaded.dispose());
      },
    },
  );
}
