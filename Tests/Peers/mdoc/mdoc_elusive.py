"""Phones that are hard to meet, or serve only a part of what their engagement offers: mdoc peripheral server mode.

Beside mdoc_phone.py, whose phones stay where they are. These hear what the gate's controller is told, as nobody on an air can, so that
a phone is gone at the moment that matters and not about then. Where an engagement offers both roles, the other one is served as it
should be.
"""
import asyncio

from bumble import att, hci, l2cap

from mdoc_phone import MISCHIEF, Ended, MdocPhone, MdocPlan, MdocVisit

# name -> what the phone does
ELUSIVE = {
    "other_uuid": MISCHIEF["other_uuid"][1],
    "never_advertises": "says that it can be found, and does not advertise",
    "never_looks": "says that it can find the gate, and does not look",
    "gone_when_found": "stops advertising when the gate asks to connect, for good",
    "gone_each_time": "stops whenever the gate asks to connect, and advertises again when that is given up",
    "gone_twice": "the same, but stays the third time: must work",
    "drops_each_time": "disconnects as soon as it is connected, and advertises again",
    "drops_when_subscribed": "disconnects when State is subscribed, before START, and advertises again",
    "mute_server": "its server answers nothing",
    "subscription_unanswered": "its server answers until something is subscribed",
    "stalls_in_channel": "sends half of its response by the channel, and then nothing",
    "channel_unknown": "no channel is at the PSM of the engagement: GATT must work",
    "channel_without_room": "has no resources for a channel: GATT must work",
    "channel_unauthorized": "refuses the channel for want of authorization: GATT must work",
    "channel_foreign": "its PSM is none that a system gives to apps: not asked for, GATT must work",
    "channel_unanswered": "does not answer when it is asked for the channel: GATT must work",
    "channel_late": "opens the channel when the gate has gone on to GATT, where it answers nothing, as wallets that dropped it: must work",
    "channel_closed": "closes the channel as soon as it is open",
}
# Result of L2CAP_LE_CREDIT_BASED_CONNECTION_RSP (Core Vol 3 Part A 4.23).
RESULTS = {"channel_unknown": 2, "channel_without_room": 4, "channel_unauthorized": 6}
FOREIGN_PSM = 0x0025
STOPS = ("gone_when_found", "gone_each_time", "gone_twice")
DROPS = ("drops_each_time", "drops_when_subscribed")
CONNECT = (hci.HCI_LE_CREATE_CONNECTION_COMMAND, hci.HCI_LE_EXTENDED_CREATE_CONNECTION_COMMAND)
GIVE_UP = hci.HCI_LE_CREATE_CONNECTION_CANCEL_COMMAND


class ElusivePhone(MdocPhone):
    """`gate` is the gate's controller; `recorded()` is whether the visit is on the record, after which nobody comes any more."""

    def __init__(self, device, holder, plan: MdocPlan, gate, recorded) -> None:
        super().__init__(device, holder, plan)
        self.gate, self.recorded = gate, recorded
        self.attempts = 0        # commands to connect to it
        self.links = 0           # as a peripheral
        self.channels_asked = 0
        self.late = None         # what answers the channel's request
        self.was_late = False    # it was answered so
        self.on_air = []         # what the gate's controller did at each change: whether it scanned, and whether it advertised

    async def visit(self) -> MdocVisit:
        self.gate.overhear = self.overhear
        visit = asyncio.ensure_future(super().visit())
        try:
            while not visit.done():
                await asyncio.wait((visit,), timeout=0.2)
                # What it does on leaving takes its time, and is not to be broken off.
                if self.recorded() and not self.leaves and (self.connection is None or self.gone.is_set()):
                    visit.cancel()
                    break
            return await visit
        finally:
            self.gate.overhear = None

    # MARK: being found

    def overhear(self, command: hci.HCI_Command) -> None:
        asyncio.get_running_loop().call_soon(self.look_around)
        if command.op_code in CONNECT:
            self.attempts += 1
            if self.plan.mischief in STOPS and not (self.does("gone_twice") and self.attempts == 3):
                self.device.radio.pause_advertising()
        elif command.op_code == GIVE_UP and self.plan.mischief in STOPS[1:]:
            self.device.radio.resume_advertising()

    def look_around(self) -> None:
        """What has come of a command."""
        state = (self.gate.le_scan_enable, self.gate.is_advertising)
        if self.on_air[-1:] != [state]:
            self.on_air.append(state)

    async def be_central(self) -> None:
        if self.does("never_looks"):
            await asyncio.Event().wait()
        await super().be_central()

    async def be_peripheral(self) -> None:
        if self.does("never_advertises"):
            await asyncio.Event().wait()
        while True:
            try:
                return await super().be_peripheral()
            except Ended:
                if self.plan.mischief not in DROPS:
                    raise
            self.gone.clear()
            self.messages = asyncio.Queue()

    def does(self, name: str) -> bool:
        # Only as a peripheral: where it offers both roles it is an honest central.
        drops = self.plan.mischief == "drops_each_time" and self.visit_.role == "peripheral"
        return super().does(name) or name == "drop_connected" and drops

    # MARK: its server and its channel

    async def open_peripheral(self) -> None:
        await super().open_peripheral()
        self.device.on("connection", self.count_link)
        if self.does("drops_when_subscribed"):
            self.characteristics["state"].on("subscription", lambda connection, *_: asyncio.ensure_future(connection.disconnect()))
        server = self.device.gatt_server
        if self.does("mute_server"):
            server.on_gatt_pdu = lambda *_: None
        if self.does("subscription_unanswered"):
            answer = server.on_gatt_pdu
            server.on_gatt_pdu = lambda bearer, pdu: pdu.op_code == att.ATT_WRITE_REQUEST or answer(bearer, pdu)
        if self.does("channel_late"):
            server.on_gatt_pdu = self.answer_late
        if self.does("channel_foreign"):
            self.holder.psm = FOREIGN_PSM
        manager = self.device.l2cap_channel_manager
        self.accept = manager.on_l2cap_le_credit_based_connection_request
        manager.on_l2cap_le_credit_based_connection_request = self.asked_for_channel

    def count_link(self, connection) -> None:
        self.links += connection.role == hci.Role.PERIPHERAL

    def asked_for_channel(self, connection, cid: int, request) -> None:
        self.channels_asked += 1
        if self.plan.mischief in RESULTS:
            refusal = l2cap.L2CAP_LE_Credit_Based_Connection_Response(
                identifier=request.identifier, destination_cid=0, mtu=23, mps=23, initial_credits=0, result=RESULTS[self.plan.mischief])
            self.device.l2cap_channel_manager.send_control_frame(connection, cid, refusal)
        elif self.does("channel_late"):
            self.late = lambda: self.accept(connection, cid, request)
        elif not self.does("channel_unanswered"):
            self.accept(connection, cid, request)

    def answer_late(self, *_) -> None:
        late, self.late = self.late, None
        if late is not None:
            self.was_late = True
            late()

    def on_channel(self, channel) -> None:
        super().on_channel(channel)
        if self.does("channel_closed"):
            asyncio.ensure_future(channel.disconnect())

    async def send_l2cap(self, message: bytes) -> None:
        if not self.does("stalls_in_channel"):
            return await super().send_l2cap(message)
        self.channel.write(len(message).to_bytes(4, "big") + message[: len(message) // 2])
        await self.channel.drain()
        await self.wait_gone("stalls_in_channel")
