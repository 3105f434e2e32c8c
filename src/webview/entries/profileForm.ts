import "../kit/translations.ts";
import type { ToProfilePage } from "../../core/account/profileFormProtocol.ts";
import type { FromWebview } from "../../core/panel/protocol.ts";
import type { PageState } from "../kit/host.ts";
import { onHostMessage, reportErrors } from "../kit/hostMessages.ts";
import { keepPageKeys } from "../kit/keyboard/fieldKeys.ts";
import { ProfilePage } from "../settings/profilePage.ts";
import type { ProfileHost, ProfilePageState } from "../settings/profilePage.ts";

/** The VS Code API that is available to every page of ours. */
interface VsCodeApi {
  postMessage(message: Parameters<ProfileHost["post"]>[0] | FromWebview): void;
  setState(state: ProfilePageState | PageState): void;
}

const api: VsCodeApi = acquireVsCodeApi();
const host: ProfileHost = {
  post: (message) => api.postMessage(message),
  saveState: (state) => api.setState(state),
};

reportErrors(host);

const root = document.getElementById("app");
if (root !== null) {
  const page = new ProfilePage(root, host);
  onHostMessage<ToProfilePage>((message) => page.receive(message));
  keepPageKeys();
  host.post({ type: "ready" });
}
